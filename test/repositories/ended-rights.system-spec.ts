// needs: database, git

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, jobWhen, linesOf } from '../support/sites/jobs.js';

const ADMIN = 'operator-token-of-tests';
const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
/** Longer than the service takes to notice a revoked token. */
const STOPPED_WITHIN_MS = 30_000;

type Headers = Record<string, string>;
type Person = Awaited<ReturnType<typeof signIn>>;

describe('A job whose starter loses the right to deploy', () => {
  let host: GitHost;
  let gate: ReturnType<typeof Promise.withResolvers<void>>;
  let waiting: number;
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
    temporary = await temporaryFolder('ended-rights');
    const env = { STELE_REPO_HOSTS: host.listed, STELE_JOBS_PER_USER: '1', STELE_ADMIN_TOKEN: ADMIN };
    stele = await startStele({ folder: temporary.folder, env });
    ann = await signIn(stele, 'ann@example.org');
  }, 60_000);
  beforeEach(() => {
    gate = Promise.withResolvers();
    waiting = 0;
  });
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const siteOf = async (headers: Headers): Promise<string> =>
    (await stele.api.post('/v1/deploy').set(headers).type('html').send('<h1>before</h1>').expect(200)).body.slug;
  const deploy = async (headers: Headers, slug: string): Promise<string> => {
    const asked = stele.api.post('/v1/repo/deploy').set(headers);
    return (await asked.send({ url: host.url('plain'), slug }).expect(200)).body.jobId;
  };
  /** Starts two jobs: one that is cloning, and one that waits for the first. */
  async function twoJobs(headers: Headers, slug: string) {
    const before = waiting;
    const running = await deploy(headers, slug);
    await jobWhen(stele, running, () => waiting > before, headers);
    return { running, queued: await deploy(headers, slug) };
  }
  async function endsOf({ running, queued }: { running: string; queued: string }, reader: Headers) {
    for (const job of [running, queued])
      await jobWhen(stele, job, ({ status }) => status === 'stopped', reader, STOPPED_WITHIN_MS);
    gate.resolve();
    return Promise.all([running, queued].map((job) => jobOver(stele, job, reader)));
  }
  async function expectStopped(jobs: { running: string; queued: string }, reader: Headers, why: RegExp) {
    const ends = await endsOf(jobs, reader);
    const error = { code: 'right_ended', message: expect.stringMatching(why) };
    expect(ends).toEqual([
      expect.objectContaining({ status: 'stopped', error }),
      expect.objectContaining({ status: 'stopped', error }),
    ]);
    for (const { id } of ends) expect(await lastLine(id)).toMatch(why);
  }
  const lastLine = async (jobId: string) => linesOf(await eventsOf(stele, jobId)).at(-1)?.text;

  async function member(slug: string, role: 'owner' | 'editor') {
    const email = `person-${++people}@example.org`;
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    const { token, memberId } = body as { token: string; memberId: string };
    return { memberId, bearer: { authorization: `Bearer ${token}` } };
  }
  async function token(of: Person, path: string, role: string) {
    const { body } = await stele.api.post(path).set(of.bearer).send({ name: 'ci', role }).expect(201);
    return { path: `${path}/${body.id}`, bearer: { authorization: `Bearer ${body.token}` } };
  }

  it.each<[string, (slug: string) => Promise<{ by: Headers; end: () => Promise<unknown> }>, RegExp]>([
    [
      'is removed from the site',
      async (slug) => {
        const { memberId, bearer } = await member(slug, 'owner');
        const end = () => stele.api.delete(`/v1/sites/${slug}/members/${memberId}`).set(ann.bearer).expect(204);
        return { by: bearer, end };
      },
      /no longer a member/,
    ],
    [
      'becomes a viewer',
      async (slug) => {
        const { memberId, bearer } = await member(slug, 'editor');
        const changed = () => stele.api.patch(`/v1/sites/${slug}/members/${memberId}`).set(ann.bearer);
        return { by: bearer, end: () => changed().send({ role: 'viewer' }).expect(200) };
      },
      /no longer an editor or owner/,
    ],
    [
      'deletes their account',
      async (slug) => {
        const { bearer } = await member(slug, 'editor');
        return { by: bearer, end: () => stele.api.delete('/v1/me').set(bearer).expect(204) };
      },
      /no longer a member/,
    ],
    [
      'used a token of the site that is revoked',
      async (slug) => {
        const { path, bearer } = await token(ann, `/v1/sites/${slug}/tokens`, 'editor');
        return { by: bearer, end: () => stele.api.delete(path).set(ann.bearer).expect(204) };
      },
      /access token .* was revoked/,
    ],
    [
      'used a personal token that is revoked',
      async () => {
        const { path, bearer } = await token(ann, '/v1/me/tokens', 'owner');
        return { by: bearer, end: () => stele.api.delete(path).set(ann.bearer).expect(204) };
      },
      /access token .* was revoked/,
    ],
    [
      'has a site that is taken down',
      async (slug) => {
        const operator = { authorization: `Bearer ${ADMIN}` };
        const taken = () => stele.api.post(`/v1/admin/sites/${slug}/takedown`).set(operator);
        return { by: ann.bearer, end: () => taken().send({ reason: 'phishing' }).expect(200) };
      },
      /taken this site down/,
    ],
  ])(
    'a running or waiting job is stopped when the starter %s',
    async (_, prepare, why) => {
      const slug = await siteOf(ann.bearer);
      const { by, end } = await prepare(slug);
      const jobs = await twoJobs(by, slug);
      await end();
      await expectStopped(jobs, ann.bearer, why);
      const deploys = (await stele.log()).filter(({ type, data }) => type === 'SiteDeployed' && /"job_/.test(data));
      expect(deploys.filter(({ data }) => Object.values(jobs).some((id) => data.includes(id)))).toEqual([]);
    },
    120_000,
  );

  it('claiming a site stops its jobs before they can use the new owner’s secrets; the owner can run them again', async () => {
    const asked = stele.api.post('/v1/repo/deploy').send({ url: host.url('plain') });
    const { jobId: running, slug, editToken } = (await asked.expect(200)).body;
    await jobWhen(stele, running, () => waiting > 0);
    const queued = await deploy({ 'x-svc-edit-token': editToken }, slug);

    const claimed = await stele.api.post('/v1/claim/session').set(ann.bearer).send({ slug, editToken }).expect(200);
    await stele.api
      .put(`/v1/sites/${slug}/secrets/KEY`)
      .set(ann.bearer)
      .send({ value: 'of-the-new-owner' })
      .expect(200);
    await expectStopped({ running, queued }, ann.bearer, /site was claimed/);
    expect([...claimed.body.stoppedJobs].sort()).toEqual([running, queued].sort());
    await stele.visit(slug).expect(404);

    const page = (path: string) =>
      stele.raw
        .get(path)
        .set({ ...ann.bearer, accept: HTML })
        .expect(200);
    const button = `action="/v1/sites/${slug}/rerun"`;
    const sites = (await page('/sites')).text;
    expect(sites).toContain(`/jobs/${queued}`);
    expect(sites).toContain(button);
    expect((await page(`/jobs/${queued}`)).text).toContain(button);

    const again = await stele.raw
      .post(`/v1/sites/${slug}/rerun`)
      .set({ ...ann.bearer, accept: HTML })
      .type('form')
      .expect(303);
    const job = again.headers.location?.split('/').at(-1) ?? '';
    expect(await jobOver(stele, job, ann.bearer)).toMatchObject({ status: 'succeeded', slug });
    expect((await stele.visit(slug).expect(200)).text).toBe('<h1>by the job</h1>');
    expect((await page('/sites')).text).not.toContain(button);
  }, 120_000);

  it('a job continues if the token that started it merely expires', async () => {
    const slug = await siteOf(ann.bearer);
    const asked = stele.api.post(`/v1/sites/${slug}/tokens`).set(ann.bearer);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await asked.send({ name: 'short', role: 'editor', expiresAt }).expect(201);
    const by = { authorization: `Bearer ${body.token}` };
    const job = await deploy(by, slug);
    await jobWhen(stele, job, () => waiting > 0, ann.bearer);
    await stele.query(`update access_tokens set expires_at = now() where token_id = '${body.id}'`);
    while ((await stele.api.get('/v1/me/sites').set(by)).status !== 401)
      await new Promise((wait) => setTimeout(wait, 100));
    gate.resolve();
    expect(await jobOver(stele, job, ann.bearer)).toMatchObject({ status: 'succeeded' });
  }, 120_000);
});
