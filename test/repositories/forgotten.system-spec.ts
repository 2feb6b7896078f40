// needs: database, git

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver } from '../support/sites/jobs.js';
import { newRunId, tell } from '../support/sites/runs.js';

jest.setTimeout(120_000);

describe('Event streams of jobs and runs', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  const start = (kept: string) =>
    startStele({
      folder: temporary.folder,
      env: { STELE_REPO_HOSTS: host.listed, STELE_STREAMS_KEPT: kept },
    });

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('forgotten');
    stele = await start('30d');
    host.commit('plain', { 'index.html': '<h1>1</h1>' });
  });
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  const types = async (of: string) => (await stele.log()).filter(({ stream }) => stream === of).map(({ type }) => type);

  it('event streams and their read model rows are deleted after a retention period, but the site remains', async () => {
    const { body: job } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('plain') })
      .expect(200);
    expect(await jobOver(stele, job.jobId)).toMatchObject({ status: 'succeeded' });
    const [over, going] = [newRunId(), newRunId()];
    await tell(stele, over, 'run.started', { secret: 'of long ago' }).expect(202);
    await tell(stele, over, 'run.succeeded').expect(202);

    await stele.stop();
    stele = await start('8s');
    await until(async () => (await stele.raw.get(`/v1/jobs/${job.jobId}`)).status === 404);
    await until(async () => (await types(`run-${over}`)).join() === 'RunForgotten');

    expect(await types(`job-${job.jobId}`)).toEqual(['JobForgotten']);
    await stele.api.get(`/v1/jobs/${job.jobId}/events`).expect(404);
    await tell(stele, over, 'run.log').expect(409);
    expect((await stele.visit(job.slug).expect(200)).text).toBe('<h1>1</h1>');
    const { body: history } = await stele.api
      .get(`/v1/sites/${job.slug}/history`)
      .set('x-svc-edit-token', job.editToken)
      .expect(200);
    expect(history.items.map(({ type }: { type: string }) => type)).toContain('SiteDeployed');

    // A run is kept as long as it reports events.
    await tell(stele, going, 'run.started').expect(202);
    for (let n = 0; n < 10; n++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await tell(stele, going, 'run.progress', { n }).expect(202);
    }
    expect(await types(`run-${going}`)).toHaveLength(11);
  });
});

/** Waits for a condition without a time limit of its own, because the test has one. */
async function until(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 100));
}
