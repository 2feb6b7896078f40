// needs: database, git

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

describe('Jobs of a site with secrets', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Awaited<ReturnType<typeof signIn>>;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('secret-jobs');
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: host.listed } });
    ann = await signIn(stele, 'ann@example.org');
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const set = (slug: string, name: string, value: string) =>
    stele.api.put(`/v1/sites/${slug}/secrets/${name}`).set(ann.bearer).send({ value }).expect(200);
  const saidBy = async (jobId: string) => {
    expect(await jobOver(stele, jobId, ann.bearer)).toMatchObject({ status: 'succeeded' });
    return linesOf(await eventsOf(stele, jobId)).map(({ text }) => text);
  };
  const rerun = async (slug: string) =>
    saidBy((await stele.api.post(`/v1/sites/${slug}/rerun`).set(ann.bearer).expect(200)).body.jobId);
  const leftOut = (name: string) => expect.stringMatching(`^Skipped links/${name}:`);

  it('secrets are never logged, and running a job again uses the current secrets', async () => {
    const first = 'first-value-7Jx2';
    const second = 'second-value-9Qp4';
    const links = Object.fromEntries(
      [first, second, 'plain'].map((name) => [`links/${name}`, { link: '/etc/passwd' }]),
    );
    host.commit('telling', { 'index.html': '<h1>Hi</h1>', ...links });
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .set(ann.bearer)
      .send({ url: host.url('telling'), slug: 'telling' })
      .expect(200);
    const before = await saidBy(body.jobId);
    expect(before).toEqual(expect.arrayContaining([leftOut(first), leftOut(second), leftOut('plain')]));

    await set('telling', 'TOKEN', first);
    const once = await rerun('telling');
    expect(once).toEqual(expect.arrayContaining([leftOut('••••'), leftOut(second), leftOut('plain')]));
    expect(once.join()).not.toContain(first);

    await set('telling', 'TOKEN', second);
    const twice = await rerun('telling');
    expect(twice).toEqual(expect.arrayContaining([leftOut('••••'), leftOut(first), leftOut('plain')]));
    expect(twice.join()).not.toContain(second);

    await stele.api.delete('/v1/sites/telling/secrets/TOKEN').set(ann.bearer).expect(204);
    expect(await rerun('telling')).toEqual(expect.arrayContaining([leftOut(first), leftOut(second)]));
  }, 60_000);

  it('the error message of a failed job contains no secrets', async () => {
    host.commit('plain', { 'index.html': '<h1>Hi</h1>' });
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .set(ann.bearer)
      .send({ url: host.url('plain'), slug: 'failing', ref: 'main' })
      .expect(200);
    await saidBy(body.jobId);
    await set('failing', 'FOLDER', 'no-such-folder-at-all');
    const again = await stele.api
      .post('/v1/repo/deploy')
      .set(ann.bearer)
      .send({ url: host.url('plain'), slug: 'failing', rootDirectory: 'no-such-folder-at-all' })
      .expect(200);
    const job = await jobOver(stele, again.body.jobId, ann.bearer);
    expect(job).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('••••') } });
    expect(job.error?.message).not.toContain('no-such-folder-at-all');
  }, 60_000);
});
