// needs: database, git

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { jobOver } from '../support/sites/jobs.js';

jest.setTimeout(120_000);

const built = { 'package.json': JSON.stringify({ scripts: { build: 'vite build' }, devDependencies: { vite: '8' } }) };

describe('Plans that need a build', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  const check = (name: string, rest: object = {}) =>
    stele.api.post('/v1/repo/check').send({ url: host.url(name), ...rest });
  const deploy = (name: string, plan: object = {}, rest: object = {}) =>
    stele.api.post('/v1/repo/deploy').send({ url: host.url(name), plan, ...rest });

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('plans');
    const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'none', STELE_ANONYMOUS_BUILDS: 'static' };
    stele = await startStele({ folder: temporary.folder, env });
    host.commit('vite', built);
    host.commit('plain', { 'index.html': 'x' });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    await temporary.remove();
  });

  it('checking a repository detects its build plan, and warns if no builder is available', async () => {
    const { body } = await check('vite').expect(200);
    expect(body.plan).toMatchObject({ kind: 'static_build', framework: 'vite' });
    expect(body.warnings).toContainEqual(expect.stringContaining('STELE_BUILDER'));
    expect((await check('plain').expect(200)).body.warnings).toEqual([]);
  });

  it('checking a repository with a plan returns the plan that a deploy with it follows', async () => {
    const plan = { buildCommand: 'npm run docs', outputDirectory: './public/', nodeVersion: '22' };
    const { body: checked } = await check('vite', { plan }).expect(200);
    expect(checked.plan).toMatchObject({ ...plan, framework: 'vite', outputDirectory: 'public' });
    const { body: started } = await deploy('vite', plan).expect(200);
    expect(await jobOver(stele, started.jobId)).toMatchObject({ plan: checked.plan });
  });

  it('checking a repository fails if it does not fit the plan in the request, and a deploy fails alike', async () => {
    const plan = { outputDirectory: 'missing' };
    const { body: checked } = await check('plain', { plan }).expect(422);
    expect(checked).toMatchObject({ code: 'plan_not_detected', errors: [{ path: 'plan.outputDirectory' }] });
    const { body: started } = await deploy('plain', plan).expect(200);
    expect(await jobOver(stele, started.jobId)).toMatchObject({
      status: 'failed',
      error: { code: checked.code, message: checked.detail },
    });
  });

  it.each(['static_build', 'next', 'container'])(
    'if no builder is available, a request for a plan of the kind %s is refused immediately',
    async (kind) => {
      const { body } = await deploy('vite', { kind }).expect(503);
      expect(body).toMatchObject({ code: 'builder_unavailable', detail: expect.any(String) });
    },
  );

  it('without a builder, a repository can still be deployed as plain pages', async () => {
    const { body } = await deploy('plain', { kind: 'static' }).expect(200);
    expect(await jobOver(stele, body.jobId)).toMatchObject({ status: 'succeeded' });
  });

  it('a job fails if its plan requires a signed-in user and there is none', async () => {
    const { body } = await deploy('vite').expect(200);
    expect(await jobOver(stele, body.jobId)).toMatchObject({
      status: 'failed',
      plan: { kind: 'static_build' },
      error: { code: 'unauthenticated', message: expect.stringContaining('Sign in') },
    });
  });

  it.each([
    ['plan.outputDirectory', 'above the repository', { outputDirectory: '../..' }],
    ['plan.outputDirectory', 'a Windows path', { outputDirectory: 'a\\b' }],
    ['plan.outputDirectory', 'two lines', { outputDirectory: 'a\nb' }],
    ['plan.rootDirectory', 'above the repository', { rootDirectory: '../up' }],
    ['plan.dockerfile', 'above the repository', { dockerfile: '../Dockerfile' }],
    ['plan.buildCommand', 'two lines', { buildCommand: 'npm run build\nrm -rf /' }],
    ['plan.buildCommand', 'cut off by a NUL', { buildCommand: 'a\u0000b' }],
    ['plan.buildCommand', 'too long', { buildCommand: 'x'.repeat(1_001) }],
    ['plan.installCommand', 'two lines', { installCommand: 'npm ci\r\n' }],
    ['plan.nodeVersion', 'two lines', { nodeVersion: '24\n' }],
    ['plan.packageManager', 'a name with a terminal escape sequence', { packageManager: 'npm\u001b[2J' }],
    ['plan.kind', 'unknown', { kind: 'magic' }],
  ])('a request is refused before anything is recorded if %s is %s', async (path, _, plan) => {
    for (const request of [check('vite', { plan }), deploy('vite', plan)])
      expect((await request.expect(400)).body.errors).toEqual([expect.objectContaining({ path })]);
  });

  it.each([
    ['above it', '..'],
    ['beside it', '../a'],
    ['above it after normalization', 'a/../../b'],
    ['cut off by a NUL', 'a\u0000'],
    ['with a very long name', 'x'.repeat(1_001)],
  ])('a plan can’t be detected outside the repository, in a folder %s', async (_, rootDirectory) => {
    for (const request of [check('vite', { rootDirectory }), deploy('vite', {}, { rootDirectory })])
      expect((await request.expect(400)).body.errors).toEqual([expect.objectContaining({ path: 'rootDirectory' })]);
  });

  it('if a repository has several packages, they are listed, and a request can choose one', async () => {
    host.commit('packages', {
      'package.json': JSON.stringify({ workspaces: ['apps/*'], scripts: { build: 'turbo build' } }),
      'apps/docs/package.json': JSON.stringify({
        scripts: { build: 'vitepress build' },
        dependencies: { vitepress: '2' },
      }),
      'apps/web/package.json': JSON.stringify({ scripts: { build: 'vite build' }, dependencies: { vite: '8' } }),
    });
    expect((await check('packages').expect(422)).body).toMatchObject({
      code: 'plan_not_detected',
      candidates: [
        { rootDirectory: 'apps/docs', framework: 'vitepress', kind: 'static_build' },
        { rootDirectory: 'apps/web', framework: 'vite', kind: 'static_build' },
      ],
    });
    expect((await check('packages', { rootDirectory: 'apps/web' }).expect(200)).body.plan).toMatchObject({
      framework: 'vite',
      rootDirectory: 'apps/web',
    });
  });

  it('checking a repository fails if its build needs a submodule, because submodules are not fetched', async () => {
    host.commit('submodule', { ...built, 'themes/it': { submodule: '1'.repeat(40) } });
    expect((await check('submodule').expect(422)).body).toMatchObject({
      code: 'plan_not_detected',
      detail: 'themes/it is a submodule. Submodules are not fetched; commit its files to the repository instead.',
    });
  });
});
