// needs: database, git

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { agentOf } from '../support/agents/agents.js';
import { AgentProgram, homeOf, signInBrowser } from '../support/people/agent-program.js';
import { HttpBrowser } from '../support/people/http-browser.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { TokenIssuer } from '../support/people/token-issuer.js';
import { EventStreamClient } from '../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { WebSocketClient } from '../support/service/web-socket-client.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, jobWhen } from '../support/sites/jobs.js';

type Headers = Record<string, string>;
type Person = Awaited<ReturnType<typeof signIn>>;
type Member = { readonly email: string; readonly memberId: string; readonly session: Headers };

type Acts = {
  /** Publishes a page, and reports whether that succeeded. */
  readonly redeploy: (html: string) => Promise<boolean>;
  readonly queue: () => Promise<string>;
  readonly prepare: () => Promise<string>;
  /** Headers for API requests, if the API accepts the credential. */
  readonly by?: Headers;
  /** Requests a new token with a longer-lived credential, and reports whether that succeeded. */
  readonly renew?: () => Promise<boolean>;
};

/** Somebody who can deploy a site with one credential, and what is needed to revoke that credential. */
type Holder = Acts & {
  readonly slug: string;
  readonly member?: Member;
  readonly editToken?: string;
  readonly revoke?: () => Promise<unknown>;
};

type Ending = {
  readonly end: (holder: Holder) => Promise<unknown>;
  /** True if the holder can still read what members can read, so that an open stream continues. */
  readonly canStillRead?: true;
  /** True if the user stays a member. In this case, jobs that the user started continue. */
  readonly isStillMember?: true;
  /**
   * True if the user was removed and became a member again. In this case, credentials for all of the user's sites work
   * for new requests.
   */
  readonly isMemberAgain?: true;
};

const OPERATOR = 'the-operator-of-this-test';

/** Longer than the service takes to notice a revoked token or app. */
const STOPPED_WITHIN_MS = 30_000;

describe('Credentials that have lost their rights', () => {
  let host: GitHost;
  let issuer: TokenIssuer;
  let gate: ReturnType<typeof Promise.withResolvers<void>>;
  let waiting = 0;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Person;
  let people = 0;

  beforeAll(async () => {
    host = await GitHost.open(async ({ url, method }) => {
      if (method === 'POST' && url?.endsWith('/git-upload-pack')) {
        waiting++;
        await gate.promise;
      }
      return false;
    });
    host.commit('plain', { 'index.html': '<h1>by the job</h1>' });
    issuer = await TokenIssuer.open();
    temporary = await temporaryFolder('lifecycle');
    const env = {
      STELE_REPO_HOSTS: `${host.listed},${issuer.listed}`,
      STELE_JOBS_PER_USER: '1',
      STELE_ADMIN_TOKEN: OPERATOR,
    };
    stele = await startStele({ folder: temporary.folder, env });
    ann = await signIn(stele, 'ann@example.org');
  }, 60_000);
  beforeEach(() => {
    gate = Promise.withResolvers();
  });
  afterAll(async () => {
    gate.resolve();
    await stele?.stop();
    issuer?.close();
    await host.close();
    await temporary.remove();
  });

  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const siteOf = async (by: Headers) =>
    (await stele.api.post('/v1/deploy').set(by).type('html').send('before').expect(200)).body as {
      slug: string;
      editToken?: string;
    };
  async function join(slug: string, role: string, email = `holder-${++people}@example.org`): Promise<Member> {
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return { email, memberId: String(body.memberId), session: bearer(body.token) };
  }
  async function siteWith(role: string) {
    const { slug } = await siteOf(ann.bearer);
    return { slug, member: await join(slug, role) };
  }

  const actsOf = (slug: string, by: Headers): Acts => ({
    by,
    redeploy: async (html) =>
      (await stele.api.patch(`/v1/deploy?slug=${slug}`).set(by).type('html').send(html)).status === 200,
    queue: async () =>
      (
        await stele.api
          .post('/v1/repo/deploy')
          .set(by)
          .send({ url: host.url('plain'), slug })
          .expect(200)
      ).body.jobId,
    prepare: async () => {
      const { body } = await stele.api.post(`/v1/deploy/prepared?slug=${slug}`).set(by).expect(201);
      return body.uploadUrl.slice(homeOf(stele).length);
    },
  });
  async function issue(slug: string, path: string, { session }: Member) {
    const { body } = await stele.api.post(path).set(session).send({ name: 'ci', role: 'editor' }).expect(201);
    const revoke = () => stele.api.delete(`${path}/${body.id}`).set(session).expect(204);
    return { revoke, ...actsOf(slug, bearer(body.token)) };
  }

  /** Calls a tool. Returns the JSON of its result, or null if the call was refused. */
  async function callTool(token: string, name: string, given: object) {
    const { text, status } = await stele.raw
      .post('/mcp')
      .set({ accept: 'application/json, text/event-stream', ...bearer(token) })
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
    if (status !== 200) return null;
    const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    return result.isError ? null : JSON.parse(result.content[1].text);
  }
  async function connect(email: string, fields = {}) {
    const browser = new HttpBrowser();
    await signInBrowser(stele, browser, email);
    const app = await AgentProgram.registered(stele);
    return { app, ...(await app.letIn(browser, { scope: 'read publish' }, fields)) };
  }

  const holders: Readonly<Record<string, () => Promise<Holder>>> = {
    'session of an editor': async () => {
      const { slug, member } = await siteWith('editor');
      return { slug, member, ...actsOf(slug, member.session) };
    },
    'session of a second owner': async () => {
      const { slug, member } = await siteWith('owner');
      return { slug, member, ...actsOf(slug, member.session) };
    },
    'token of the site': async () => {
      const { slug, member } = await siteWith('owner');
      return { slug, member, ...(await issue(slug, `/v1/sites/${slug}/tokens`, member)) };
    },
    'personal token': async () => {
      const { slug, member } = await siteWith('editor');
      return { slug, member, ...(await issue(slug, '/v1/me/tokens', member)) };
    },
    'trusted publisher': async () => {
      const { slug, member } = await siteWith('owner');
      const claims = { repository: `octo-org/${slug}` };
      const publishers = `/v1/sites/${slug}/publishers`;
      const { body } = await stele.api
        .post(publishers)
        .set(member.session)
        .send({ issuer: issuer.url, claims })
        .expect(201);
      const idToken = await issuer.token({ aud: homeOf(stele), ...claims });
      const exchange = () => stele.api.post('/v1/auth/exchange').send({ idToken, slug });
      const { body: exchanged } = await exchange().expect(200);
      return {
        slug,
        member,
        ...actsOf(slug, bearer(exchanged.token)),
        renew: async () => (await exchange()).status === 200,
        revoke: () => stele.api.delete(`${publishers}/${body.id}`).set(ann.bearer).expect(204),
      };
    },
    'connected app': async () => {
      const { slug, member } = await siteWith('editor');
      const { app, access_token, refresh_token } = await connect(member.email);
      const call = (name: string, given: object) => callTool(access_token, name, given);
      const revoke = async () => {
        const { body } = await stele.api.get('/v1/me/grants').set(member.session).expect(200);
        await stele.api.delete(`/v1/me/grants/${body.items[0].id}`).set(member.session).expect(204);
      };
      return {
        slug,
        member,
        redeploy: async (html) => (await call('redeploy', { slug, html })) !== null,
        queue: async () => (await call('deploy_repo', { url: host.url('plain'), slug })).jobId,
        prepare: async () => (await call('prepare_upload', { slug })).uploadUrl.slice(homeOf(stele).length),
        renew: async () => (await app.refresh(refresh_token)).status === 200,
        revoke,
      };
    },
    'edit token': async () => {
      const { slug, editToken = '' } = await siteOf({});
      return { slug, editToken, ...actsOf(slug, { 'x-svc-edit-token': editToken }) };
    },
  };

  const membership = ({ slug, member }: Holder) => `/v1/sites/${slug}/members/${member?.memberId}`;
  const dismiss = (holder: Holder) => stele.api.delete(membership(holder)).set(ann.bearer).expect(204);
  const returns = (role: string) => async (holder: Holder) => {
    await dismiss(holder);
    await join(holder.slug, role, holder.member?.email);
  };
  const endings: Readonly<Record<string, Ending>> = {
    demotion: {
      end: (holder) => stele.api.patch(membership(holder)).set(ann.bearer).send({ role: 'viewer' }).expect(200),
      canStillRead: true,
    },
    removal: { end: dismiss },
    'removal and a return as a viewer': { end: returns('viewer'), canStillRead: true },
    'removal and a return as an owner': { end: returns('owner'), canStillRead: true, isMemberAgain: true },
    'a claim by somebody else': {
      end: ({ slug, editToken }) =>
        stele.api.post('/v1/claim/session').set(ann.bearer).send({ slug, editToken }).expect(200),
    },
    revocation: { end: ({ revoke }) => revoke?.() ?? Promise.reject(new Error('Nothing to revoke')) },
    'a sign-out': {
      end: ({ by = {} }) => stele.api.post('/v1/auth/logout').set(by).expect(204),
      isStillMember: true,
    },
    'the end of all sessions by the operator': {
      end: ({ member }) =>
        stele.api.post('/v1/admin/sessions/end').set(bearer(OPERATOR)).send({ user: member?.email }).expect(204),
      isStillMember: true,
    },
    'deletion of the account': {
      end: ({ member }) =>
        stele.api
          .delete('/v1/me')
          .set(member?.session ?? {})
          .expect(204),
    },
    'deletion of the site': {
      end: ({ slug, editToken }) => {
        const owner: Headers = editToken === undefined ? ann.bearer : { 'x-svc-edit-token': editToken };
        return stele.api.delete(`/v1/sites/${slug}`).set(owner).expect(204);
      },
    },
  };
  const OF_MEMBERS = [
    'demotion',
    'removal',
    'removal and a return as a viewer',
    'removal and a return as an owner',
    'deletion of the account',
    'deletion of the site',
  ];
  const OF_SESSIONS = [...OF_MEMBERS, 'a sign-out', 'the end of all sessions by the operator'];
  const MATRIX: readonly (readonly [string, readonly string[]])[] = [
    ['session of an editor', OF_SESSIONS],
    ['session of a second owner', OF_SESSIONS],
    ['token of the site', [...OF_MEMBERS, 'revocation']],
    ['personal token', [...OF_MEMBERS, 'revocation']],
    ['trusted publisher', [...OF_MEMBERS, 'revocation']],
    ['connected app', [...OF_MEMBERS, 'revocation']],
    ['edit token', ['a claim by somebody else', 'deletion of the site']],
  ];
  /** Credentials that work for all sites of a user. They work again if the user becomes a member again. */
  const FOR_ALL_SITES = ['session of an editor', 'session of a second owner', 'personal token', 'connected app'];
  const rows = MATRIX.flatMap(([holder, ended]) => ended.map((ending) => [holder, ending] as const));

  /** Sends part of a page. Returns a function that sends the rest and resolves to the status. */
  async function beginUpload(path: string, method: string, headers: Headers = {}) {
    const countBegun = async () => (await stele.query('select from idempotency where fingerprint is null')).length;
    const before = await countBegun();
    const sent = request(stele.base + path, {
      method,
      headers: { 'content-type': 'text/html', 'idempotency-key': crypto.randomUUID(), ...headers },
      agent: false,
    });
    const response = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.write('<h1>begun ');
    // The service reserves the idempotency key after it has identified the caller and before it reads the body.
    while ((await countBegun()) === before) await delay(20);
    return async () => {
      sent.end('before</h1>');
      const [{ statusCode = 0 }] = await response;
      return statusCode;
    };
  }

  /** Waits until a job has ended, and returns its error code. Reads the log, because the site may no longer exist. */
  async function codeOfEnd(jobId: string) {
    const enough = Date.now() + STOPPED_WITHIN_MS;
    for (;;) {
      const stopped = (await eventsOf(stele, jobId)).find(({ type }) => type === 'JobStopped');
      if (stopped || Date.now() > enough) return (stopped?.data.error as { code: string } | undefined)?.code;
      await delay(50);
    }
  }

  it.each(rows)(
    'the %s can’t publish by request, job or upload, or follow events, after it lost its rights by %s',
    async (whose, how) => {
      const holder = await holders[whose]!();
      const { end, canStillRead = false, isStillMember = false, isMemberAgain = false } = endings[how]!;
      const { slug, by } = holder;
      const reader = holder.editToken === undefined ? ann.bearer : { 'x-svc-edit-token': holder.editToken };
      const bytes = randomBytes(100);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (by)
        await stele.api
          .put(`/v1/uploads/${sha256}`)
          .set({ 'content-type': 'application/octet-stream', ...by })
          .send(bytes)
          .expect(201);
      expect(await holder.redeploy('by the credential')).toBe(true);
      const before = waiting;
      const jobs = [await holder.queue()];
      await jobWhen(stele, jobs[0]!, () => waiting > before, reader);
      jobs.push(await holder.queue());
      const prepared = await holder.prepare();
      const finish = by
        ? await beginUpload(`/v1/deploy?slug=${slug}`, 'PATCH', by)
        : await beginUpload(await holder.prepare(), 'PUT');
      const watching = by && new EventStreamClient(`${stele.base}/v1/sites/${slug}/events`, by);
      await watching?.until(({ event, data }) => event === 'SiteDeployed' && data.data.number === 2);

      await end(holder);

      expect(await finish()).toBeGreaterThanOrEqual(400);
      const late = await stele.api.put(prepared).type('html').send('<h1>prepared before</h1>');
      expect(late.status).toBeGreaterThanOrEqual(400);
      if (by && !isMemberAgain) {
        const uploaded = await stele.api
          .patch(`/v1/deploy?slug=${slug}`)
          .set(by)
          .send({ files: [{ path: 'index.html', sha256 }] });
        expect([401, 403, 404, 410]).toContain(uploaded.status);
      }
      if (!isStillMember) for (const id of jobs) expect(await codeOfEnd(id)).toBe('right_ended');
      const page = await stele.visit(slug);
      gate.resolve();
      if (isStillMember)
        for (const id of jobs) expect(await jobOver(stele, id, reader)).toMatchObject({ status: 'succeeded' });
      // Checked after the jobs, because a stream may stay open until its next heartbeat, and git gives up before that.
      if (canStillRead) watching?.cut();
      else if (watching) expect(await watching.closed).toBe(true);
      if (how === 'deletion of the site') expect([404, 410]).toContain(page.status);
      else expect(page.text).toBe('by the credential');
      expect(await holder.redeploy('too late')).toBe(isMemberAgain && FOR_ALL_SITES.includes(whose));
      if (whose === 'trusted publisher') expect(await holder.renew?.()).toBe(false);
      if (how === 'revocation') expect((await holder.renew?.()) ?? false).toBe(false);
    },
    120_000,
  );

  it('a session that ends while the body of a new site arrives creates no site', async () => {
    const { bearer: by } = await signIn(stele, `holder-${++people}@example.org`);
    const finish = await beginUpload('/v1/deploy', 'POST', by);
    await stele.api.post('/v1/auth/logout').set(by).expect(204);
    expect(await finish()).toBe(401);
  });

  it.each(['removal', 'deletion of the account', 'deletion of the site'])(
    'clients stop following a job immediately after they lost their rights by %s',
    async (how) => {
      const { slug, member } = await siteWith('viewer');
      await stele.api.post(`/v1/sites/${slug}/access`).set(ann.bearer).send({ visibility: 'members' }).expect(200);
      const before = waiting;
      const jobId = await actsOf(slug, ann.bearer).queue();
      await jobWhen(stele, jobId, () => waiting > before, ann.bearer);
      const { access_token } = await connect(member.email);
      const agent = await agentOf(stele, { token: access_token });
      const streaming = new EventStreamClient(`${stele.base}/v1/jobs/${jobId}/events`, member.session);
      await streaming.until(({ event }) => event === 'job.started');
      const socket = new WebSocketClient(`${stele.base}/v1/live`, member.session).say({
        op: 'subscribe',
        stream: `job:${jobId}`,
      });
      await socket.until(({ event }) => event === 'job.started');
      const begun = Promise.withResolvers<string>();
      const called = agent.call('watch_job', { jobId, waitSeconds: 50 }, begun.resolve);
      await begun.promise;

      await endings[how]!.end({ slug, member, ...actsOf(slug, member.session) });

      // If the site was deleted, its job may have been stopped before the rights are checked.
      const left = socket.until(({ event }) => event === 'problem' || event === 'end');
      expect(await Promise.all([streaming.closed, left, called])).toMatchObject([
        true,
        expect.anything(),
        { isError: true },
      ]);
      // No heartbeat was sent, so the stream did not end because of the check at a heartbeat.
      expect(streaming.comments).toEqual([]);
      socket.cut();
      await agent.close();
      gate.resolve();
    },
    120_000,
  );

  it('disconnecting an app ends a call in which the app waits for a job', async () => {
    const { slug, member } = await siteWith('viewer');
    await stele.api.post(`/v1/sites/${slug}/access`).set(ann.bearer).send({ visibility: 'members' }).expect(200);
    const before = waiting;
    const jobId = await actsOf(slug, ann.bearer).queue();
    await jobWhen(stele, jobId, () => waiting > before, ann.bearer);
    const { access_token } = await connect(member.email);
    const agent = await agentOf(stele, { token: access_token });
    const begun = Promise.withResolvers<string>();
    const watched = agent.call('watch_job', { jobId, waitSeconds: 50 }, begun.resolve);
    await begun.promise;
    const grantsOf = async () => (await stele.api.get('/v1/me/grants').set(member.session).expect(200)).body.items;
    const [{ id }] = await grantsOf();
    await stele.api.delete(`/v1/me/grants/${id}`).set(member.session).expect(204);
    expect(await watched).toMatchObject({ isError: true, answer: { code: 'unauthenticated' } });
    await agent.close();
    // The call did not wait for the job, which is still running.
    expect((await stele.api.get(`/v1/jobs/${jobId}`).set(ann.bearer).expect(200)).body.status).toBe('running');
    gate.resolve();
    await jobWhen(stele, jobId, ({ status }) => status === 'succeeded', ann.bearer);
  }, 120_000);
});
