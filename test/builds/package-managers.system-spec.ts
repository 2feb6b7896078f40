// needs: database, git, bubblewrap

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BuildingService } from '../support/sites/building-service.js';
import { locked, npmLock } from './locked-projects.js';

const OTHER_NODE = '22.20.0';

describe('A project’s package manager', () => {
  let service: BuildingService;
  beforeAll(async () => {
    service = await BuildingService.start({ STELE_NODE_VERSIONS: OTHER_NODE });
  }, 120_000);
  afterAll(() => service?.stop());

  it('the pnpm version pinned at the root of a workspace is used, even if the pinned digest is wrong', async () => {
    const tree = locked.pnpmWorkspace('pnpm@12.21.0+sha512.0123456789abcdef');
    const { job, lines, site } = await service.build('pnpm', tree, { rootDirectory: 'packages/site' });
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(lines).toContain('Using pnpm 12.21.0');
    expect(lines).toContain('$ pnpm install --frozen-lockfile');
    expect((await site().expect(200)).text).toMatch(/172800000 by pnpm\/12\.21\.0/);
  }, 180_000);

  it.each([
    ['pnpm', 'pnpm', '$ pnpm install --frozen-lockfile --ignore-scripts', 'pnpm/12.21.0'],
    ['Yarn 1', 'yarn1', '$ yarn install --frozen-lockfile --ignore-scripts', 'yarn/1.22.22'],
    ['a later Yarn without node_modules', 'yarn4', '$ yarn install --immutable', 'yarn/4.18.1'],
    ['a later Yarn with node_modules', 'yarn4Linked', '$ yarn install --immutable', 'yarn/4.18.1'],
    ['Bun', 'bun', '$ bun install --frozen-lockfile --ignore-scripts', 'bun/1.4.5'],
  ] as const)(
    'the package manager %s is used if the lock file was written by it',
    async (_name, project, command, agent) => {
      const { job, lines, site } = await service.build(`${project.toLowerCase()}-alone`, locked[project]);
      expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(lines).toContain(command);
      expect((await site().expect(200)).text).toContain(`172800000 by ${agent}`);
    },
    180_000,
  );

  it('a package manager version that the registry does not have is reported as unavailable', async () => {
    const { job } = await service.build('unknown', locked.npm({ packageManager: 'npm@999.0.0' }));
    expect(job.error).toEqual({
      code: 'build_failed',
      message: 'npm 999.0.0 is not available: the registry does not have this version or could not be reached.',
    });
  }, 120_000);

  it('the log reports a lock file that requires a different package manager than package.json', async () => {
    const { lines } = await service.build('asked', locked.npm({ packageManager: 'pnpm@10.34.8' }));
    expect(lines).toContain('package.json requests pnpm@10.34.8, but the lock file is for npm; npm is used.');
  }, 120_000);

  it('packages that are missing from the lock file are added', async () => {
    const tree = { ...locked.npm(), 'package-lock.json': npmLock.replace('node_modules/ms', 'node_modules/mz') };
    const { job, lines, site } = await service.build('unfit', tree);
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(lines).toContain(
      'The lock file does not match package.json, so “npm install” adds what is missing. Update the lock file and commit it.',
    );
    await site().expect(200);
  }, 120_000);

  it('an invalid lock file is ignored and reported in the log', async () => {
    const tree = { ...locked.npm(), 'package-lock.json': '{"lockfileVersion": 3,' };
    const { job, lines } = await service.build('corrupt', tree);
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(lines).toContainEqual(expect.stringMatching(/^npm found no usable lock file, .*newest versions/));
  }, 120_000);

  it('a build fails if the project’s registry is blocked, and the log names the registry', async () => {
    const { job, lines } = await service.build('private', {
      ...locked.npm(),
      'package-lock.json': npmLock.replaceAll('registry.npmjs.org', 'npm.example.org'),
      '.npmrc': 'registry=https://npm.example.org/\n',
    });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'build_failed' } });
    expect(lines).toContainEqual(expect.stringMatching(/^Blocked a connection: npm\.example\.org .*STELE_BUILD_HOSTS/));
  }, 180_000);

  it('install scripts run, and can reach only the registries', async () => {
    const reach = `node -e "fetch('https://example.org').then(() => console.log('reached'), () => console.log('no way out'))"`;
    const { job, lines } = await service.build(
      'scripts',
      locked.npm({ scripts: { build: 'node make.cjs', postinstall: reach } }),
    );
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(lines).toContain('no way out');
    expect(lines).toContainEqual(expect.stringMatching(/^Blocked a connection: example\.org/));
  }, 120_000);

  it('npm 12 runs install scripts only for packages that the project lists; esbuild works without its script', async () => {
    const bundles = 'esbuild main.js --bundle --outfile=dist/main.js && cp index.html dist/';
    const { job, lines, site } = await service.build('npm12', {
      'package.json': JSON.stringify({
        private: true,
        packageManager: 'npm@12.2.0',
        scripts: { build: bundles },
        devDependencies: { esbuild: '0.25.11' },
      }),
      'index.html': '<!doctype html>bundled',
      'main.js': 'document.title = "bundled";',
    });
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(lines).toContain('Using npm 12.2.0');
    expect(lines).toContainEqual(expect.stringContaining('install scripts blocked'));
    await site('/main.js').expect(200);
  }, 180_000);

  it.each([
    ['.nvmrc', { '.nvmrc': 'v22\n' }, {}],
    ['package.json', {}, { engines: { node: '20 || 22' } }],
  ])(
    'a Node version listed by the operator is used if %s requests it',
    async (_, more, manifest) => {
      const scripts = { build: 'node -p process.version && node make.cjs' };
      const { job, lines, site } = await service.build('listed', { ...locked.npm({ scripts, ...manifest }), ...more });
      expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(lines).toEqual(expect.arrayContaining([`Using node ${OTHER_NODE}`, `v${OTHER_NODE}`]));
      expect(lines).not.toContainEqual(expect.stringContaining('The project requires Node'));
      expect((await site().expect(200)).text).toContain(`node/v${OTHER_NODE}`);
    },
    180_000,
  );

  it('if a build fails on the installed Node, the log says that the project requested another version', async () => {
    const scripts = { build: 'node -e "process.exit(process.version.startsWith(\'v18\') ? 0 : 4)"' };
    const { job, lines } = await service.build('engines', locked.npm({ engines: { node: '18' }, scripts }));
    const unmet =
      'The project requires Node 18, but builds here only have Node 24, 22.20.0. The operator can add versions in STELE_NODE_VERSIONS.';
    expect(lines).toContain(unmet);
    expect(job.error?.message.startsWith(`“npm run build” exited with code 4. ${unmet}`)).toBe(true);
  }, 120_000);
});
