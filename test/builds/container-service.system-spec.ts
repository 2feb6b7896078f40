// needs: containers, busybox

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { containerEngine, type EngineUnderTest } from '../support/builds/container-engine.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver } from '../support/sites/jobs.js';

describe('A service that builds in containers', () => {
  let engine: EngineUnderTest;
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    engine = await containerEngine();
    host = await GitHost.open();
    temporary = await temporaryFolder('containers');
    const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'container', ...engine.env };
    stele = await startStele({ folder: temporary.folder, env });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await host?.close();
    await engine?.close();
    await temporary?.remove();
  }, 60_000);

  it('a site is built from a repository, and /health names the engine', async () => {
    const script = `require('node:fs').mkdirSync('dist'); require('node:fs').writeFileSync('dist/index.html', '<p>' + process.env.STELE_SLUG)`;
    host.commit('built', {
      'package.json': JSON.stringify({ private: true, scripts: { build: 'node make.cjs' } }),
      'make.cjs': script,
    });
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('built') })
      .expect(200);
    expect(await jobOver(stele, body.jobId)).toMatchObject({ status: 'succeeded' });
    expect((await stele.visit(body.slug).expect(200)).text).toBe(`<p>${body.slug}`);
    const { checks } = (await stele.api.get('/health').expect(200)).body;
    expect(checks.builder).toEqual({ engine: 'container' });
  }, 120_000);
});
