// needs: database, git, bubblewrap

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { agentOf } from '../support/agents/agents.js';
import { AgentProgram, browserOfPerson, homeOf } from '../support/people/agent-program.js';
import { newestMail } from '../support/people/sign-in.js';
import { TokenIssuer } from '../support/people/token-issuer.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost, type Tree } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

type Headers = Record<string, string>;
type Asked = Record<string, unknown>;

const SECRET = 'sesame-of-ann-4711';
const NONE = 'no secret';
const WITHHELD = /^This build received no secrets: .+ link the repository/;

const revealing = (title: string, folder = ''): Tree => ({
  [`${folder}package.json`]: JSON.stringify({ private: true, scripts: { build: 'node make.mjs' } }),
  [`${folder}make.mjs`]: `import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
writeFileSync('dist/index.html', ${JSON.stringify(title)} + ': ' + (process.env.KEY ?? '${NONE}'));`,
});

describe('Builds of a site that has a secret', () => {
  let host: GitHost;
  let issuer: TokenIssuer;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Awaited<ReturnType<typeof browserOfPerson>>;
  let slug: string;
  let people = 0;

  beforeAll(async () => {
    host = await GitHost.open();
    issuer = await TokenIssuer.open();
    temporary = await temporaryFolder('trusted-builds');
    const env = { STELE_REPO_HOSTS: `${host.listed},${issuer.listed}`, STELE_BUILDER: 'bubblewrap' };
    stele = await startStele({ folder: temporary.folder, env });
    ann = await browserOfPerson(stele, 'ann@example.org');
    host.commit('linked', revealing('linked'));
    host.commit('linked', revealing('draft'), 'draft');
    host.commit('own', revealing('own'));
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    issuer?.close();
    await host?.close();
    await temporary?.remove();
  });
  beforeEach(async () => {
    slug = (await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('<h1>Hi</h1>').expect(200)).body.slug;
    await stele.api.put(`/v1/sites/${slug}/secrets/KEY`).set(ann.bearer).send({ value: SECRET }).expect(200);
  });

  const of = (token: string) => ({ authorization: `Bearer ${token}` });
  const own = () => ({ url: host.url('own'), slug });
  const link = (more: Asked = {}) =>
    stele.api
      .put(`/v1/sites/${slug}/repository`)
      .set(ann.bearer)
      .send({ url: host.url('linked'), ...more })
      .expect(200);

  async function outcome(jobId: string) {
    const job = await jobOver(stele, jobId, ann.bearer);
    expect(job).toMatchObject({ status: 'succeeded' });
    const lines = linesOf(await eventsOf(stele, jobId)).map(({ text }) => text);
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set(ann.bearer).expect(200);
    const deploy = body.items.find((each: { readonly jobId?: string }) => each.jobId === jobId);
    const page = (await stele.visit(slug).expect(200)).text;
    return { page, trusted: deploy.trusted, isWithheld: lines.some((text) => WITHHELD.test(text)) };
  }
  async function built(headers: Headers, body: Asked) {
    const begun = await stele.api.post('/v1/repo/deploy').set(headers).send(body).expect(200);
    return outcome(begun.body.jobId);
  }
  const untrusted = (title: string) => ({ page: `${title}: ${NONE}`, trusted: false, isWithheld: true });
  const trusted = (title: string) => ({ page: `${title}: ${SECRET}`, trusted: true, isWithheld: false });

  async function editor(): Promise<Headers> {
    const email = `editor-${++people}@example.org`;
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role: 'editor' }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return of(body.token);
  }
  async function token(path: string, role: string): Promise<Headers> {
    const { body } = await stele.api.post(path).set(ann.bearer).send({ name: 'ci', role }).expect(201);
    return of(body.token);
  }
  async function publisher(): Promise<Headers> {
    const claims = { repository: 'octo-org/website', ref: 'refs/heads/main' };
    await stele.api
      .post(`/v1/sites/${slug}/publishers`)
      .set(ann.bearer)
      .send({ issuer: issuer.url, claims })
      .expect(201);
    const idToken = await issuer.token({ aud: homeOf(stele) });
    return of((await stele.api.post('/v1/auth/exchange').send({ idToken, slug }).expect(200)).body.token);
  }

  /** Everyone who can deploy the site, except a signed-in owner. */
  const deployers: readonly (readonly [string, () => Promise<Headers>])[] = [
    ['an editor', editor],
    ['a site token', () => token(`/v1/sites/${slug}/tokens`, 'editor')],
    ['a personal token of an owner', () => token('/v1/me/tokens', 'owner')],
    ['a trusted publisher', publisher],
  ];

  it.each(deployers)(
    '%s can’t get the secret by building another repository or rerunning an owner’s build',
    async (_, caller) => {
      const headers = await caller();
      expect(await built(headers, own())).toEqual(untrusted('own'));
      expect(await built(ann.bearer, { url: host.url('linked'), slug })).toEqual(trusted('linked'));
      const again = await stele.api.post(`/v1/sites/${slug}/rerun`).set(headers).expect(200);
      expect(await outcome(again.body.jobId)).toEqual(untrusted('linked'));
    },
    120_000,
  );

  it('a build started by a connected app gets no secret', async () => {
    const program = await AgentProgram.registered(stele);
    const { access_token } = await program.letIn(ann.browser, { scope: 'read publish manage' });
    const agent = await agentOf(stele, { token: access_token });
    const { answer } = await agent.call('deploy_repo', own());
    expect(await outcome(answer.jobId)).toEqual(untrusted('own'));
    await agent.close();
  }, 60_000);

  it('a build started or rerun by a signed-in owner gets the secret', async () => {
    expect(await built(await editor(), own())).toEqual(untrusted('own'));
    const again = await stele.api.post(`/v1/sites/${slug}/rerun`).set(ann.bearer).expect(200);
    expect(await outcome(again.body.jobId)).toEqual(trusted('own'));
    expect(await built(ann.bearer, { ...own(), plan: { framework: null } })).toEqual(trusted('own'));
  }, 60_000);

  it('a build started with an edit token gets no secret, even after an owner claims the site', async () => {
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('own') })
      .expect(200);
    const { jobId, editToken } = body;
    slug = body.slug;
    await jobOver(stele, jobId);
    await stele.api.post('/v1/claim/session').set(ann.bearer).send({ slug, editToken }).expect(200);
    expect(await outcome(jobId)).toEqual({ ...untrusted('own'), isWithheld: false });
  }, 60_000);

  it.each(deployers)(
    'a build of the linked branch’s head gets the secret, even if it is started by %s',
    async (_, caller) => {
      await link();
      const headers = await caller();
      expect(await built(headers, { slug })).toEqual(trusted('linked'));
      const again = await stele.api.post(`/v1/sites/${slug}/rerun`).set(headers).expect(200);
      expect(await outcome(again.body.jobId)).toEqual(trusted('linked'));
    },
    120_000,
  );

  it('a build that overrides the linked settings gets no secret', async () => {
    host.commit('folders', { ...revealing('root'), ...revealing('inner', 'inner/') });
    await link({ url: host.url('folders') });
    const headers = await editor();
    expect(await built(headers, { slug, rootDirectory: 'inner' })).toEqual(untrusted('inner'));
    expect(await built(headers, { slug, plan: { buildCommand: 'node make.mjs' } })).toEqual(untrusted('root'));
    expect(await built(headers, { slug, ref: 'main' })).toEqual(untrusted('root'));
    expect(await built(headers, { url: host.url('folders'), slug })).toEqual(untrusted('root'));
    await link({ branch: 'draft' });
    expect(await built(headers, { slug, ref: 'main' })).toEqual(untrusted('linked'));
    expect(await built(headers, { slug })).toEqual(trusted('draft'));
  }, 120_000);

  it('a build of a repository that is no longer linked gets no secret', async () => {
    await link();
    const headers = await editor();
    expect(await built(headers, { slug })).toEqual(trusted('linked'));
    await link({ branch: 'draft' });
    const again = await stele.api.post(`/v1/sites/${slug}/rerun`).set(headers).expect(200);
    expect(await outcome(again.body.jobId)).toEqual(untrusted('linked'));
  }, 60_000);
});
