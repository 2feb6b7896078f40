// needs: database, git

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { expectNone } from '../support/jest/expect-none.js';
import { type AskedSite, type Operation, type Statuses, sendOperation } from '../support/operations/operation.js';
import { operations } from '../support/operations/operations.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver } from '../support/sites/jobs.js';

jest.setTimeout(120_000);

type Headers = Readonly<Record<string, string>>;
type Role = 'viewer' | 'editor' | 'owner';

const KINDS = ['none', 'stranger', 'viewer', 'editor', 'owner', 'token'] as const;
const NOTHING: Headers = {};

type Row = Operation & { readonly statuses: Statuses };

const matrix = operations.filter((each): each is Row => each.statuses !== undefined);
const others = operations.flatMap(({ operation, callers }) => (callers ? [[operation, ...callers] as const] : []));

describe('Every endpoint, for every caller', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let people: Record<'stranger' | 'removed' | 'neighbour' | Role, Headers>;
  let open: AskedSite;
  let hidden: AskedSite;
  let nobodys: AskedSite;
  let token: Headers;
  let neighbours: AskedSite & { readonly memberId: string; readonly inviteId: string; readonly host: string };
  let asked = 0;

  beforeAll(async () => {
    host = await GitHost.open();
    host.commit('plain', { 'index.html': '<h1>Ours</h1>' });
    temporary = await temporaryFolder('matrix');
    stele = await startStele({
      folder: temporary.folder,
      env: {
        STELE_REPO_HOSTS: `${host.listed},127.0.0.1:9`,
        STELE_ADMIN_TOKEN: 'an-operator-of-this-test',
        STELE_JOBS_PER_USER: '50',
      },
    });
    const bearerOf = async (name: string) => (await signIn(stele, `${name}@example.org`)).bearer;
    people = {
      stranger: await bearerOf('stranger'),
      removed: await bearerOf('removed'),
      neighbour: await bearerOf('neighbour'),
      viewer: await bearerOf('viewer'),
      editor: await bearerOf('editor'),
      owner: await bearerOf('owner'),
    };

    open = await siteOf('owner', 'public');
    hidden = await siteOf('owner', 'members');
    for (const { slug } of [open, hidden]) {
      await join(slug, 'viewer', 'viewer');
      await join(slug, 'editor', 'editor');
      const memberId = await join(slug, 'removed', 'editor');
      await stele.api.delete(`/v1/sites/${slug}/members/${memberId}`).set(people.owner).expect(204);
    }
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('plain') })
      .expect(200);
    expect(await jobOver(stele, body.jobId)).toMatchObject({ status: 'succeeded' });
    token = { 'x-svc-edit-token': body.editToken };
    nobodys = await asStands(body.slug, body.jobId, token);

    const theirs = await siteOf('neighbour', 'members');
    const { body: members } = await stele.api.get(`/v1/sites/${theirs.slug}/members`).set(people.neighbour).expect(200);
    const { body: invite } = await stele.api
      .post(`/v1/sites/${theirs.slug}/invites`)
      .set(people.neighbour)
      .send({ email: 'friend@example.org', role: 'editor' })
      .expect(201);
    await stele.api
      .put(`/v1/sites/${theirs.slug}/secrets/THEIRS`)
      .set(people.neighbour)
      .send({ value: 'their swordfish' })
      .expect(200);
    neighbours = { ...theirs, memberId: members.items[0].id, inviteId: invite.id, host: host.listed };
  });
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  async function siteOf(owner: keyof typeof people, visibility: AskedSite['visibility']): Promise<AskedSite> {
    const by = people[owner];
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .set(by)
      .send({ url: host.url('plain') })
      .expect(200);
    expect(await jobOver(stele, body.jobId, by)).toMatchObject({ status: 'succeeded' });
    await stele.api.post(`/v1/sites/${body.slug}/access`).set(by).send({ visibility }).expect(200);
    return asStands(body.slug, body.jobId, by);
  }

  async function asStands(slug: string, jobId: string, by: Headers): Promise<AskedSite> {
    const { body } = await stele.api.get(`/v1/sites/${slug}`).set(by).expect(200);
    return { slug, jobId, deployId: body.deployId, visibility: body.visibility, once: 'x' };
  }

  async function join(slug: string, name: keyof typeof people, role: Role): Promise<string> {
    const email = `${name}@example.org`;
    await stele.api.post(`/v1/sites/${slug}/invites`).set(people.owner).send({ email, role }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return body.memberId;
  }

  const ask = (row: Row, site: AskedSite, by: Headers) => {
    const { operation } = row;
    const parameters = {
      hostname: 'example.org',
      path: operation.includes('/files/') ? 'index.html' : '',
      ...(operation.includes('/members/') && { id: `mem_${'0'.repeat(26)}` }),
      ...(operation.includes('/jobs/') && { id: site.jobId }),
    };
    const once = { ...site, once: `somebody-${++asked}` };
    return sendOperation(stele.api, row, once, by, parameters).then((answer) => answer);
  };

  it('every endpoint is in the table of endpoints and callers, or is listed as tested elsewhere', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const described = Object.entries(body.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
      ([path, operations]) =>
        Object.entries(operations)
          .filter(([, operation]) => operation['x-status'] !== 'planned')
          .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    const listed = operations
      .filter(({ statuses, callers, elsewhere }) => statuses ?? callers ?? elsewhere)
      .map(({ operation }) => operation);
    expectNone(
      described.filter((operation) => !listed.includes(operation)),
      'In test/support/operations/, add an entry for each operation, with `statuses` if it concerns a site and otherwise with `callers`',
    );
    expectNone(
      listed.filter((operation, n) => !described.includes(operation) || listed.indexOf(operation) !== n),
      'In test/support/operations/, remove entries that are duplicated, and the statuses of operations that are not in /openapi.json',
    );
  });

  /** Returns one caller per column. Two more callers count as strangers: a former member, and another site's owner. */
  const callers = (): readonly (readonly [who: string, column: keyof typeof column, by: Headers])[] => [
    ['nobody', 'none', NOTHING],
    ['a stranger', 'stranger', people.stranger],
    ['a removed member', 'stranger', people.removed],
    ['another site’s owner', 'stranger', people.neighbour],
    ['a viewer', 'viewer', people.viewer],
    ['an editor', 'editor', people.editor],
    ['an owner', 'owner', people.owner],
  ];
  const column = Object.fromEntries(KINDS.map((kind, n) => [kind, n])) as Record<(typeof KINDS)[number], number>;
  const expected = (statuses: Statuses) =>
    Object.fromEntries(callers().map(([who, kind]) => [who, statuses[column[kind]]]));
  const whenHidden = (statuses: Statuses): Statuses => [404, 404, statuses[2], statuses[3], statuses[4], statuses[5]];

  async function answers(row: Row, site: AskedSite) {
    const statuses: Record<string, number> = {};
    for (const [who, , by] of callers()) statuses[who] = (await ask(row, site, by)).status;
    return statuses;
  }

  describe.each(matrix.map((row) => [row.operation, row] as const))('The endpoint %s', (_, row) => {
    it('on a public site, the status code depends on the caller’s role', async () =>
      expect(await answers(row, open)).toEqual(expected(row.statuses)));

    it('on a site that is not public, callers without a role get 404', async () =>
      expect(await answers(row, hidden)).toEqual(expected(row.hidden ?? whenHidden(row.statuses))));

    it('the edit token of an unclaimed site is accepted, but not on another site', async () => {
      expect((await ask(row, nobodys, token)).status).toBe(row.statuses[column.token]);
      const elsewhere = (await ask(row, open, token)).status;
      if (row.statuses[column.none] === 401) expect([401, 403]).toContain(elsewhere);
      else expect(elsewhere).toBe(row.statuses[column.none]);
    });
  });

  it.each(['', '/log'])('/jobs/{id}%s is available to those who can read the job', async (rest) => {
    const { statuses } = matrix.find(({ operation }) => operation === 'GET /v1/jobs/{id}')!;
    const asked = ({ jobId }: AskedSite, by: Headers) =>
      stele.raw
        .get(`/jobs/${jobId}${rest}`)
        .set({ ...by, accept: 'text/html' })
        .then(({ status }) => status);
    for (const site of [open, hidden])
      for (const [who, kind, by] of callers())
        expect([who, await asked(site, by)]).toEqual([who, statuses[column[kind]]]);
    for (const by of [NOTHING, people.stranger, token]) expect(await asked(nobodys, by)).toBe(200);
  });

  it.each(others)(
    '%s returns %i to anonymous callers and %i to signed-in callers',
    async (operation, none, signedIn) => {
      const [method = '', path = ''] = operation.split(' ');
      const filled = path
        .replace('{id}', `ses_${'0'.repeat(26)}`)
        .replace('{code}', 'never-heard-of')
        .replace('{runId}', 'run_x');
      const to = (by: Headers) => {
        const request = stele.api[method.toLowerCase() as 'get'](filled).set(by);
        return method === 'POST' ? request.send({}) : request;
      };
      expect([(await to(NOTHING)).status, (await to(people.owner)).status]).toEqual([none, signedIn]);
    },
  );

  describe('A site that is not public', () => {
    it.each(matrix.filter(({ hidden: but }) => but === undefined).map((row) => [row.operation, row] as const))(
      'a stranger gets the same response as for a missing site: %s',
      async (_, row) => {
        // Responses contain the slug, so both slugs must have the same length.
        const missing = { ...hidden, slug: `${hidden.slug.slice(0, -1)}x`, jobId: `job_${'0'.repeat(26)}` };
        for (const by of [NOTHING, people.stranger, people.removed, people.neighbour, token]) {
          const [is, isNot] = [await ask(row, hidden, by), await ask(row, missing, by)];
          expect(told(is, hidden)).toEqual(told(isNot, missing));
        }
      },
    );

    const told = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>, { slug, jobId }: AskedSite) => {
      const { 'x-request-id': _id, date: _date, ...rest } = headers;
      const { requestId: _, ...problem } = body;
      return JSON.parse(
        JSON.stringify({ status, problem, rest }).replaceAll(slug, '{slug}').replaceAll(jobId, '{jobId}'),
      );
    };
  });

  describe('Requests for one’s own site that contain IDs of another site', () => {
    const own = (path: string) => `/v1/sites/${open.slug}${path}`;
    it.each<[string, () => Promise<{ status: number; text: string }>]>([
      ['a rollback', () => as('post', own('/rollback')).send({ deployId: neighbours.deployId })],
      [
        'a comparison from',
        () => as('get', own('/deploys/diff')).query({ from: neighbours.deployId, to: open.deployId }),
      ],
      [
        'a comparison to',
        () => as('get', own('/deploys/diff')).query({ from: open.deployId, to: neighbours.deployId }),
      ],
      ['a manifest', () => as('get', own(`/deploys/${neighbours.deployId}/manifest`))],
      ['a provenance', () => as('get', own(`/deploys/${neighbours.deployId}/provenance`))],
      ['a list of files', () => as('get', own('/files')).query({ deployId: neighbours.deployId })],
      ['a download', () => as('get', own('/files.zip')).query({ deployId: neighbours.deployId })],
      ['a changed role', () => as('patch', own(`/members/${neighbours.memberId}`)).send({ role: 'viewer' })],
      ['a removed member', () => as('delete', own(`/members/${neighbours.memberId}`))],
      ['a revoked invite', () => as('delete', own('/invites')).query({ id: neighbours.inviteId })],
      ['a secret', () => as('delete', own('/secrets/THEIRS'))],
      ['a job', () => as('get', `/v1/jobs/${neighbours.jobId}`)],
      ['a job’s log', () => as('get', `/v1/jobs/${neighbours.jobId}/events`)],
      ['a stopped job', () => as('post', `/v1/jobs/${neighbours.jobId}/stop`)],
      ['a preview', () => as('get', `/s/${open.slug}/@${neighbours.deployId}/`)],
    ])('an ID of another site is treated as unknown: %s', async (_, request) => {
      const { status, text } = await request();
      expect(status).toBe(404);
      expect(text).not.toMatch(/their|neighbour|Ours/);
    });

    const as = (method: 'get' | 'post' | 'patch' | 'delete', path: string) => stele.api[method](path).set(people.owner);

    it('content of another site can’t be referenced by its digest', async () => {
      const sha256 = 'f'.repeat(64);
      const { body } = await stele.api
        .patch(`/v1/deploy?slug=${open.slug}`)
        .set(people.owner)
        .send({ files: [{ path: 'a.html', sha256 }] })
        .expect(422);
      expect(body.code).toBe('blob_missing');
    });

    it('requests with the other site’s IDs leave that site unchanged', async () => {
      const { body } = await stele.api.get(`/v1/sites/${neighbours.slug}/members`).set(people.neighbour).expect(200);
      expect(body.items).toEqual([expect.objectContaining({ id: neighbours.memberId, role: 'owner' })]);
      const { body: invites } = await stele.api.get(`/v1/sites/${neighbours.slug}/invites`).set(people.neighbour);
      expect(invites.items).toHaveLength(1);
      const { body: secrets } = await stele.api.get(`/v1/sites/${neighbours.slug}/secrets`).set(people.neighbour);
      expect(secrets.items.map(({ name }: { name: string }) => name)).toEqual(['THEIRS']);
    });
  });
});
