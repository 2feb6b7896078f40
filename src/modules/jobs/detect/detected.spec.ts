import { describe, expect, it } from '@jest/globals';
import { detect, packageJson, refused } from '../../../../test/support/sites/commit-in-memory.js';

describe('detected', () => {
  it.each([
    ['vite', { vite: '8' }, 'dist'],
    ['astro', { astro: '5' }, 'dist'],
    ['eleventy', { '@11ty/eleventy': '3' }, '_site'],
    ['gatsby', { gatsby: '5' }, 'public'],
  ])('builds %s and publishes its output folder', async (framework, dependencies, outputDirectory) => {
    const { plan, evidence } = await detect({ 'package.json': packageJson(dependencies), 'package-lock.json': '{}' });
    expect(plan).toEqual({
      kind: 'static_build',
      framework,
      packageManager: 'npm',
      nodeVersion: '24',
      installCommand: 'npm ci',
      buildCommand: 'npm run build',
      outputDirectory,
      rootDirectory: '.',
    });
    expect(evidence).toContainEqual({ file: 'package.json', why: expect.stringContaining('built with') });
  });

  it.each([
    ['Hugo', { 'hugo.toml': 'title = "x"', 'content/a.md': '# a' }],
    ['Hugo', { 'config.toml': 'baseURL = "https://example.org"', 'content/a.md': '# a' }],
    ['Zola', { 'config.toml': 'base_url = "https://example.org"', 'content/a.md': '# a' }],
    ['Jekyll', { '_config.yml': 'title: x', 'index.md': '# a' }],
    ['MkDocs', { 'mkdocs.yml': 'site_name: x', 'docs/index.md': '# a' }],
    ['mdBook', { 'book.toml': '[book]', 'src/SUMMARY.md': '# a' }],
  ] satisfies [string, Record<string, string>][])(
    'refuses a %s site and says that its generator is not available to builds',
    (name, files) =>
      expect(detect(files)).rejects.toMatchObject({
        code: 'plan_not_detected',
        detail: expect.stringContaining(`built with ${name}`),
      }),
  );

  it('builds Hugo sites if the operator provides Hugo, with or without a package.json', async () => {
    const plain = { 'hugo.toml': '', 'content/a.md': '# a' };
    const context = { hugo: '/usr/bin/hugo' };
    expect((await detect(plain, {}, context)).plan).toMatchObject({
      ...{ kind: 'static_build', framework: 'hugo', packageManager: null, installCommand: null },
      ...{ buildCommand: 'hugo', outputDirectory: 'public' },
    });
    const scripted = { ...plain, 'package.json': packageJson({ 'hugo-extended': '1' }) };
    expect((await detect(scripted, {}, context)).plan).toMatchObject({ buildCommand: 'npm run build' });
    const styled = { ...plain, 'package.json': packageJson({ postcss: '8' }, { scripts: {} }) };
    expect((await detect(styled, {}, context)).plan).toMatchObject({
      buildCommand: 'hugo',
      installCommand: 'npm install',
    });
  });

  it('builds Hugo sites if builds can download Hugo', async () => {
    const files = { 'hugo.toml': '', 'package.json': packageJson({ 'hugo-extended': '1' }) };
    expect((await detect(files, {}, { hosts: ['github.com'] })).plan).toMatchObject({ framework: 'hugo' });
  });

  it('does not build a plain page that needs Vite only for its tests', async () => {
    const tested = packageJson({ vite: '8', vitest: '4' }, { scripts: { test: 'vitest' } });
    expect((await detect({ 'package.json': tested, 'index.html': 'x' })).plan.kind).toBe('static');
  });

  it('refuses a repository with several sites, and lists them', async () => {
    const files = {
      'package.json': packageJson({}, { workspaces: ['apps/*'], scripts: { build: 'turbo build' } }),
      'apps/docs/package.json': packageJson({ vitepress: '2' }),
      'apps/web/package.json': packageJson({ next: '16' }),
      'packages/ui/package.json': packageJson({}, { scripts: { build: 'tsc' } }),
    };
    await expect(detect(files)).rejects.toMatchObject({
      code: 'plan_not_detected',
      more: {
        candidates: [
          { rootDirectory: 'apps/docs', framework: 'vitepress', kind: 'static_build' },
          { rootDirectory: 'apps/web', framework: 'next', kind: 'next' },
        ],
      },
    });
    expect((await detect(files, { rootDirectory: 'apps/docs' })).plan).toMatchObject({ framework: 'vitepress' });
  });

  it.each([
    [
      'netlify.toml',
      '[build]\ncommand = "make site"\npublish = "www"\n[build.environment]\nNODE_VERSION = "22"\n[[redirects]]\nfrom = "/a"',
    ],
    ['vercel.json', '{"buildCommand":"make site","outputDirectory":"www","redirects":[]}'],
  ])('uses %s to override the build settings, and warns about its redirects', async (file, text) => {
    const { plan, warnings, evidence } = await detect({ 'package.json': packageJson({ vite: '8' }), [file]: text });
    expect(plan).toMatchObject({ buildCommand: 'make site', outputDirectory: 'www' });
    expect(warnings).toContain(`${file} has redirects, which are ignored: put them in a _redirects file.`);
    expect(evidence).toContainEqual({ file, why: 'contains build settings' });
  });

  it.each([
    ['{"name":"x","lockfileVersion":3}', 'package-lock.json', 'npm ci'],
    ["lockfileVersion: '9.0'", 'pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['# yarn lockfile v1', 'yarn.lock', 'yarn install --frozen-lockfile'],
    ['__metadata:\n  version: 8', 'yarn.lock', 'yarn install --immutable'],
    ['{}', 'bun.lock', 'bun install --frozen-lockfile'],
  ])('chooses the install command for the format of the lock file: %j', async (text, file, installCommand) =>
    expect((await detect({ 'package.json': packageJson({ vite: '8' }), [file]: text })).plan).toMatchObject({
      installCommand,
    }),
  );

  it('uses the package manager pinned in package.json', async () => {
    const pinned = (packageManager: string) => packageJson({ vite: '8' }, { packageManager });
    expect((await detect({ 'package.json': pinned('pnpm@10.1.0+sha512.abc') })).plan).toMatchObject({
      packageManager: 'pnpm@10.1.0',
      installCommand: 'pnpm install',
    });
    expect((await detect({ 'package.json': pinned('yarn@4.1.0'), 'yarn.lock': '' })).plan).toMatchObject({
      packageManager: 'yarn@4.1.0',
      installCommand: 'yarn install --immutable',
    });
    expect((await detect({ 'package.json': pinned('evil@1.0.0; rm -rf /') })).plan.packageManager).toBe('npm');
  });

  it.each(['1.0.0', '1.2.23', '1.3.6', '1.3.13'])(
    'replaces Bun %s, which can’t connect to package registries during builds',
    async (version) => {
      const files = {
        'package.json': packageJson({ vite: '8' }, { packageManager: `bun@${version}` }),
        'bun.lock': '',
      };
      const { plan, warnings } = await detect(files);
      expect(plan).toMatchObject({ packageManager: 'bun', installCommand: 'bun install --frozen-lockfile' });
      expect(warnings).toEqual([
        `package.json requests bun@${version}, which cannot connect to package registries here because it uses Encrypted Client Hello; bun 1.4.5 is used.`,
      ]);
    },
  );

  it.each(['1.3.14', '1.4.0', '2.0.0'])('uses Bun %s if it is pinned', async (version) => {
    const files = { 'package.json': packageJson({ vite: '8' }, { packageManager: `bun@${version}` }), 'bun.lock': '' };
    expect((await detect(files)).plan).toMatchObject({ packageManager: `bun@${version}` });
  });

  it('treats a Containerfile as a Dockerfile', async () =>
    expect((await detect({ Containerfile: 'FROM x' })).plan).toMatchObject({ dockerfile: 'Containerfile' }));

  it('builds the Storybook of an Ember addon rather than its test app', async () => {
    const scripts = { build: './scripts/build.sh', 'build-storybook': 'ember build && storybook build' };
    const files = {
      'package.json': packageJson({ 'ember-cli': '5', storybook: '9' }, { scripts }),
      'ember-cli-build.js': '',
      'tests/dummy/app/index.html': '',
      '.storybook/main.js': '',
    };
    expect((await detect(files)).plan).toMatchObject({
      framework: 'storybook',
      buildCommand: 'npm run build-storybook',
      outputDirectory: 'storybook-static',
    });
  });

  it('builds a Hexo site, although its _config.yml could also belong to Jekyll', async () =>
    expect(
      (await detect({ 'package.json': packageJson({ hexo: '8' }), '_config.yml': 'title: x' })).plan,
    ).toMatchObject({
      framework: 'hexo',
      outputDirectory: 'public',
    }));

  it.each([
    [
      'angular',
      { '@angular/cli': '16.0.0' },
      {
        'angular.json': JSON.stringify({
          projects: { shop: { architect: { build: { options: { outputPath: 'dist/shop' } } } } },
        }),
      },
      'dist/shop',
    ],
    [
      'angular',
      { '@angular/cli': '22.0.0' },
      {
        'angular.json': JSON.stringify({
          projects: { shop: { architect: { build: { builder: '@angular/build:application', options: {} } } } },
        }),
      },
      'dist/shop/browser',
    ],
    [
      'angular',
      { '@angular/cli': '22.0.0' },
      {
        'angular.json': JSON.stringify({
          projects: {
            a: {
              architect: {
                build: { builder: '@angular/build:application', options: { outputPath: { base: 'www', browser: '' } } },
              },
            },
          },
        }),
      },
      'www',
    ],
    ['vitepress', { vitepress: '2' }, { '.vitepress/config.ts': '' }, '.vitepress/dist'],
    ['vitepress', { vitepress: '2' }, { 'docs/.vitepress/config.ts': '' }, 'docs/.vitepress/dist'],
    ['docusaurus', { docusaurus: '1' }, {}, null],
  ])(
    'publishes the output folder that the settings of %s specify, for %j',
    async (framework, dependencies, files, outputDirectory) =>
      expect((await detect({ 'package.json': packageJson(dependencies), ...files })).plan).toMatchObject({
        framework,
        outputDirectory,
      }),
  );

  it('gives a Next.js site a plan of the kind “next”', async () => {
    const { plan } = await detect({ 'package.json': packageJson({ next: '16', react: '19' }) });
    expect(plan).toMatchObject({ kind: 'next', framework: 'next', buildCommand: 'npm run build' });
  });

  it('uses a Dockerfile if it finds nothing that builds pages', async () => {
    const { plan } = await detect({ Dockerfile: 'FROM x', 'server.js': '' });
    expect(plan).toMatchObject({ kind: 'container', dockerfile: 'Dockerfile' });
  });

  it('runs a build script even if the generator is unknown', async () => {
    const { plan, warnings } = await detect({ 'package.json': packageJson({}), 'index.html': 'x' });
    expect(plan).toMatchObject({ kind: 'static_build', framework: null, buildCommand: 'npm run build' });
    expect(warnings).toContainEqual(expect.stringContaining('No lock file'));
  });

  it.each([
    ['index.html', '.'],
    ['public/index.html', 'public'],
    ['docs/index.html', 'docs'],
  ])('publishes plain pages with %s from %s', async (file, outputDirectory) =>
    expect((await detect({ [file]: 'x', 'README.md': 'x' })).plan).toMatchObject({ kind: 'static', outputDirectory }),
  );

  it('refuses a repository without a site, and lists the expected files', async () =>
    expect(detect({ 'main.c': 'x', 'site/index.html': 'x' })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining('index.html'),
    }));

  it('examines the requested folder, and uses the lock file of a parent folder', async () => {
    const files = { 'pnpm-lock.yaml': '', 'apps/site/package.json': packageJson({ vite: '8' }), 'index.html': 'x' };
    const { plan, evidence } = await detect(files, { rootDirectory: 'apps/site' });
    expect(plan).toMatchObject({
      rootDirectory: 'apps/site',
      packageManager: 'pnpm',
      installCommand: 'pnpm install --frozen-lockfile',
    });
    expect(evidence.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['pnpm-lock.yaml', 'apps/site/package.json']),
    );
  });

  it('prefers the parts of the plan that are set in the request', async () => {
    const files = { 'package.json': packageJson({ vite: '8' }), 'site/index.html': 'x' };
    const built = await detect(files, { plan: { buildCommand: 'make', outputDirectory: 'out' } });
    expect(built.plan).toMatchObject({ kind: 'static_build', buildCommand: 'make', outputDirectory: 'out' });
    const plain = await detect(files, { plan: { kind: 'static', outputDirectory: 'site' } });
    expect(plain.plan).toMatchObject({ kind: 'static', outputDirectory: 'site', framework: null });
    await expect(detect(files, { plan: { kind: 'static', outputDirectory: 'no' } })).rejects.toThrow(
      refused('plan_not_detected'),
    );
    await expect(detect(files, { rootDirectory: 'no' })).rejects.toThrow(refused('plan_not_detected'));
  });

  it('warns about a required version of Node that is not available to builds', async () => {
    const { plan, warnings } = await detect({
      'package.json': packageJson({ vite: '8' }, { engines: { node: '<20' } }),
      'yarn.lock': '',
    });
    expect(plan.nodeVersion).toBe('<20');
    expect(warnings).toEqual([expect.stringContaining('Node <20')]);
  });

  it.each([
    ['invalid JSON', '{'],
    ['an array instead of an object', '[]'],
    ['scripts of the wrong type', '{"scripts":[1],"dependencies":"next","engines":7}'],
    ['scripts that are numbers', '{"scripts":{"build":1,"dev":null}}'],
    [
      'names of inherited object properties',
      '{"dependencies":{"__proto__":{"next":"1"}},"scripts":{"constructor":"x"}}',
    ],
    ['workspace patterns that expand exponentially', `{"workspaces":["${'{a,b}'.repeat(200)}"]}`],
    ['a megabyte of text', JSON.stringify({ a: 'x'.repeat(1_100_000) })],
    ['only brackets', '['.repeat(500_000)],
  ])('ignores a package.json with %s', async (_, text) =>
    expect((await detect({ 'package.json': text, 'index.html': 'x' })).plan.kind).toBe('static'),
  );

  it.each([
    ['package.json', { 'package.json': '{' }],
    ['package.json', { 'package.json': JSON.stringify({ a: 'x'.repeat(1_100_000) }) }],
    ['netlify.toml', { 'netlify.toml': '[build' }],
    ['netlify.toml', { 'netlify.toml': `a = "${'x'.repeat(1_100_000)}"` }],
    ['vercel.json', { 'vercel.json': '{' }],
  ])('reports an unreadable %s', async (file, files: Record<string, string>) => {
    const said = expect.stringContaining(`Could not read ${file}`);
    expect((await detect({ ...files, 'index.html': 'x' })).warnings).toEqual([said]);
    await expect(detect(files)).rejects.toMatchObject({ code: 'plan_not_detected', detail: said });
  });

  it.each([
    [
      'scripts that are not strings',
      {
        'package.json': JSON.stringify({
          scripts: { build: 'vite build', dev: 1, x: null },
          dependencies: { sapper: '1', vite: 8 },
        }),
      },
    ],
    ['an invalid angular.json', { 'package.json': packageJson({ '@angular/cli': '22.0.0' }), 'angular.json': '{' }],
    [
      'an angular.json without projects',
      { 'package.json': packageJson({ '@angular/cli': '22.0.0' }), 'angular.json': '{"projects":7}' },
    ],
    [
      'dependencies of every type',
      {
        'package.json': JSON.stringify({
          scripts: { build: 'x' },
          dependencies: { vite: null, next: undefined, astro: [1], gatsby: { a: 1 } },
          devDependencies: 'x',
        }),
      },
    ],
  ])('does not crash on %s', async (_, files: Record<string, string>) => {
    const code = await detect(files).then(
      () => 'plan_not_detected',
      ({ code }) => code,
    );
    expect(code).toBe('plan_not_detected');
  });

  it('makes strings in a plan well-formed Unicode and limits their length', async () => {
    const hostile = packageJson({ vite: '8' }, { engines: { node: `\ud800${'9'.repeat(5_000)}` } });
    const { plan } = await detect({ 'package.json': hostile });
    expect(plan.nodeVersion?.isWellFormed()).toBe(true);
    expect(plan.nodeVersion?.length).toBeLessThanOrEqual(100);
  });
});
