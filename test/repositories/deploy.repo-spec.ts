import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

describe('A public repository', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('repos');
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_REPO_HOSTS: host.listed, STELE_ANONYMOUS_MAX_FILES: '12' },
    });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const check = (body: object) => stele.api.post('/v1/repo/check').send(body);
  const deploy = (body: object) => stele.api.post('/v1/repo/deploy').send(body);

  it('of plain files is checked, deployed as a job, followed, and opened', async () => {
    const commit = host.commit('site', {
      'index.html': '<h1>From a repository</h1>',
      'css/a.css': 'b{}',
      '.env': 'SECRET=1',
    });
    const { body: checked } = await check({ url: host.url('site') }).expect(200);
    expect(checked).toMatchObject({
      repo: { url: host.url('site'), ref: 'main', commit },
      plan: { kind: 'static', outputDirectory: '.', rootDirectory: '.' },
      evidence: [{ file: 'index.html', why: expect.any(String) }],
      warnings: [],
    });

    const { body: started } = await deploy({ url: host.url('site'), slug: 'from-git' }).expect(200);
    expect(started).toEqual({
      jobId: expect.stringMatching(/^job_/),
      status: 'queued',
      slug: 'from-git',
      eventsUrl: expect.stringContaining(`/v1/jobs/${started.jobId}/events`),
      editToken: expect.stringMatching(/^stele_edit_/),
      claimUrl: expect.stringContaining('/claim/from-git#token='),
    });
    const job = await jobOver(stele, started.jobId);
    expect(job).toMatchObject({
      status: 'succeeded',
      commit,
      plan: { kind: 'static' },
      steps: ['clone', 'detect', 'publish'].map((name) => ({ name, status: 'succeeded' })),
      url: expect.stringContaining('from-git'),
    });
    expect((await stele.visit('from-git').expect(200)).text).toBe('<h1>From a repository</h1>');
    await stele.visit('from-git', '/.env').expect(404);

    const { body: deploys } = await stele.api
      .get('/v1/sites/from-git/deploys')
      .set('x-svc-edit-token', started.editToken)
      .expect(200);
    expect(deploys.items).toMatchObject([
      { deployId: job.deployId, source: 'repo', jobId: started.jobId, commit, files: 2, actor: { kind: 'anonymous' } },
    ]);
    const followed = await fetch(`${stele.base}/v1/jobs/${started.jobId}/events`);
    const text = await followed.text();
    const frames = [...text.matchAll(/^id: (\d+)\nevent: (\S+)\ndata: (.*)$/gm)];
    expect(frames.map(([, id]) => Number(id))).toEqual(frames.map((_, index) => index + 1));
    expect(new Set(frames.map(([, , event]) => event))).toEqual(
      new Set(['job.queued', 'job.started', 'job.step', 'job.log', 'job.succeeded']),
    );
    expect(JSON.parse(frames.at(-1)?.[3] ?? '')).toMatchObject({ deployId: job.deployId, slug: 'from-git' });
    expect(text).toMatch(/event: end\n/);
    const { body: page } = await stele.api.get(`/v1/jobs/${started.jobId}/events`).set('accept', 'application/json');
    expect(page).toMatchObject({ total: frames.length, ended: true });

    const lines = linesOf(await eventsOf(stele, started.jobId)).map(({ text }) => text);
    expect(lines).toContain('.env is left out: it is of a kind that is never published');
  });

  it('may have more files for somebody signed in', async () => {
    const page = { 'index.html': 'x' };
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.txt`, `${n}`]));
    host.commit('large', { ...page, ...files });
    const { body: anonymous } = await deploy({ url: host.url('large') }).expect(200);
    expect(await jobOver(stele, anonymous.jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'too_many_files' },
    });
    const { bearer } = await signIn(stele, 'ann@example.org');
    const { body: signedIn } = await deploy({ url: host.url('large') })
      .set(bearer)
      .expect(200);
    expect(await jobOver(stele, signedIn.jobId, bearer)).toMatchObject({ status: 'succeeded' });
  }, 60_000);
});
