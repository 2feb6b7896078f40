// needs: database, git

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver, jobWhen } from '../support/sites/jobs.js';

jest.setTimeout(120_000);

type Person = Awaited<ReturnType<typeof signIn>>;

describe('Linking a repository to a site', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Person;
  let slug: string;
  let gate: Promise<void> = Promise.resolve();
  let people = 0;

  beforeAll(async () => {
    host = await GitHost.open(async ({ method }) => {
      if (method === 'POST') await gate;
      return false;
    });
    host.commit('site', { 'index.html': 'main', 'docs/index.html': 'docs' });
    host.commit('site', { 'index.html': 'draft' }, 'draft');
    temporary = await temporaryFolder('linked');
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: host.listed } });
    ann = await signIn(stele, 'ann@example.org');
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });
  beforeEach(async () => {
    slug = (await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('<h1>Hi</h1>').expect(200)).body.slug;
  });

  const path = () => `/v1/sites/${slug}/repository`;
  const put = (body: object, by: { authorization: string } = ann.bearer) => stele.api.put(path()).set(by).send(body);
  const url = () => host.url('site');
  const deploy = async (body: object = {}) => {
    const begun = await stele.api
      .post('/v1/repo/deploy')
      .set(ann.bearer)
      .send({ slug, ...body })
      .expect(200);
    return jobOver(stele, begun.body.jobId, ann.bearer);
  };
  const shown = async () => (await stele.visit(slug).expect(200)).text;
  async function member(role: 'owner' | 'editor') {
    const email = `person-${++people}@example.org`;
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    const { token, memberId } = body as { token: string; memberId: string };
    return { memberId, bearer: { authorization: `Bearer ${token}` } };
  }

  it('a linked repository can be set, read, replaced and removed', async () => {
    expect((await stele.api.get(path()).set(ann.bearer).expect(404)).body.code).toBe('not_found');
    const full = {
      ...{ url: url(), branch: 'draft', rootDirectory: 'docs', plan: { kind: 'static' } },
      ...{ schedule: '0 3 * * *', skipUnchanged: true },
    };
    expect((await put(full).expect(200)).body).toEqual(full);
    const { bearer } = await member('editor');
    expect((await stele.api.get(path()).set(bearer).expect(200)).body).toEqual(full);
    expect((await put({ url: url() }).expect(200)).body).toEqual({ url: url(), skipUnchanged: false });
    await stele.api.delete(path()).set(ann.bearer).expect(204);
    await stele.api.delete(path()).set(ann.bearer).expect(204);
    await stele.api.get(path()).set(ann.bearer).expect(404);
    const history = await stele.api.get(`/v1/sites/${slug}/history`).set(ann.bearer).expect(200);
    expect(history.body.items.map(({ summary }: { readonly summary: string }) => summary)).toEqual(
      expect.arrayContaining([
        `Linked to ${url()}, branch draft, built on the schedule “0 3 * * *” (UTC)`,
        'Linked repository removed',
      ]),
    );
  });

  it('only owners with a session can change the linked repository', async () => {
    const { bearer: editor } = await member('editor');
    const made = await stele.api.post('/v1/me/tokens').set(ann.bearer).send({ name: 'ci', role: 'owner' }).expect(201);
    for (const by of [editor, { authorization: `Bearer ${made.body.token}` }]) {
      expect((await put({ url: url() }, by).expect(403)).body.code).toBe('forbidden');
      await stele.api.delete(path()).set(by).expect(403);
    }
    await stele.api
      .put(`/v1/sites/${slug}/secrets/KEY`)
      .set({ authorization: `Bearer ${made.body.token}` })
      .send({ value: 'x' })
      .expect(403);
  });

  it.each<[string, object, string, RegExp]>([
    ['a schedule that is too frequent', { schedule: '*/5 * * * *' }, 'schedule', /once an hour/],
    ['a schedule of six fields', { schedule: '0 0 3 * * *' }, 'schedule', /five fields/],
    ['a schedule that never matches', { schedule: '0 0 30 2 *' }, 'schedule', /date that exists/],
    ['an invalid branch name', { branch: 'a..b' }, 'branch', /name of a branch/],
    ['a folder outside the repository', { rootDirectory: '../x' }, 'rootDirectory', /inside the repository/],
    [
      'a folder of the plan outside the repository',
      { plan: { outputDirectory: '../x' } },
      'plan.outputDirectory',
      /inside/,
    ],
    ['a field that does not exist', { ref: 'main' }, 'ref', /./],
  ])('linking a repository with %s is refused', async (_, more, field, why) => {
    const { body } = await put({ url: url(), ...more }).expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ path: field, message: expect.stringMatching(why) })]);
  });

  it('a repository on a host that is not public can’t be linked', async () => {
    expect((await put({ url: 'https://127.0.0.1/a.git' }).expect(422)).body.code).toBe('repo_not_allowed');
  });

  it('a deploy without `url` builds the linked repository, unless the request overrides it', async () => {
    await put({ url: url() }).expect(200);
    await deploy();
    expect(await shown()).toBe('main');
    await deploy({ ref: 'draft' });
    expect(await shown()).toBe('draft');
    await deploy({ rootDirectory: 'docs' });
    expect(await shown()).toBe('docs');
    await put({ url: url(), branch: 'draft' }).expect(200);
    await deploy();
    expect(await shown()).toBe('draft');
  });

  it.each(['tag', 'commit'] as const)(
    'if a linked branch does not exist, a %s of the same name is not built instead',
    async (kind) => {
      const commit = host.commit('site', { 'index.html': 'elsewhere' }, 'elsewhere');
      const git = (...args: string[]) => execFileSync('git', ['--git-dir', host.path('site'), ...args]);
      if (kind === 'tag') git('tag', '-f', 'release', commit);
      await put({ url: url(), branch: kind === 'tag' ? 'release' : commit }).expect(200);
      const job = await deploy();
      expect(job).toMatchObject({ status: 'failed', error: { code: 'repo_unreachable' } });
      expect(job.error?.message).toMatch(/no branch/);
    },
  );

  it('a deploy without a repository URL requires a linked repository', async () => {
    const asked = (body: object) => stele.api.post('/v1/repo/deploy').set(ann.bearer).send(body);
    for (const body of [{}, { slug }]) {
      const { body: problem } = await asked(body).expect(400);
      expect(problem.errors).toEqual([expect.objectContaining({ path: 'url' })]);
    }
    expect((await asked({ slug: 'nobody-has-this-one' }).expect(404)).body.code).toBe('site_not_found');
    await stele.api.post('/v1/repo/deploy').send({ slug }).expect(401);
  });

  it.each<[string, (memberId: string) => Promise<unknown>]>([
    [
      'is demoted',
      (id) => stele.api.patch(`/v1/sites/${slug}/members/${id}`).set(ann.bearer).send({ role: 'editor' }).expect(200),
    ],
    ['is removed', (id) => stele.api.delete(`/v1/sites/${slug}/members/${id}`).set(ann.bearer).expect(204)],
  ])('the link and its jobs end when the owner who set the link %s', async (_, end) => {
    const { memberId, bearer } = await member('owner');
    const { bearer: editor } = await member('editor');
    await put({ url: url() }, bearer).expect(200);
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    const { body } = await stele.api.post('/v1/repo/deploy').set(editor).send({ slug }).expect(200);
    await jobWhen(stele, body.jobId, ({ status }) => status === 'running', ann.bearer);
    await end(memberId);
    const job = await jobOver(stele, body.jobId, ann.bearer);
    opening.resolve();
    expect(job).toMatchObject({ status: 'stopped', error: { code: 'right_ended' } });
    await stele.api.get(path()).set(ann.bearer).expect(404);
  });
});
