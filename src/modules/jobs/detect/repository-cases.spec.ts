import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { detect, type FilesOfCommit, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

const cases: Record<string, FilesOfCommit> = JSON.parse(
  readFileSync('test/support/builds/repository-cases.json', 'utf8'),
);
const filesOf = (name: string) => cases[name] ?? {};

const PLANS: readonly (readonly [name: string, plan: object])[] = [
  ['t-astro-docker', { kind: 'static_build', framework: 'astro', buildCommand: 'npm run build' }],
  ['s-docker-next', { kind: 'next', buildCommand: 'npm run build' }],
  ['c-run-npm', { kind: 'container' }],
  ['c-syntax', { kind: 'container' }],
  ['c-crash', { kind: 'container' }],
  ['c-badport', { kind: 'container' }],
  ['c-root80', { kind: 'container' }],
  ['s-basepath', { kind: 'static', outputDirectory: '.' }],
  ['s-vite-base', { kind: 'static_build', framework: 'vite', outputDirectory: 'dist' }],
  ['s-appjson-static', { kind: 'static', outputDirectory: '.' }],
  ['s-viteconf', { kind: 'static_build', framework: null, buildCommand: 'npm run build' }],
  [
    's-vitepress-lib',
    {
      kind: 'static_build',
      framework: 'vitepress',
      buildCommand: 'npm run docs:build',
      outputDirectory: 'docs/.vitepress/dist',
    },
  ],
  [
    't-vitepress-default',
    { framework: 'vitepress', buildCommand: 'npm run docs:build', outputDirectory: '.vitepress/dist' },
  ],
  [
    's-storybook',
    { framework: 'storybook', buildCommand: 'npm run build-storybook', outputDirectory: 'storybook-static' },
  ],
  ['s-rootpage', { kind: 'static_build', framework: null, buildCommand: 'npm run build' }],
  ['s-puppeteer', { kind: 'static_build', framework: null }],
  ['s-axios', { kind: 'static_build', framework: null }],
  ['s-firebase', { kind: 'static', outputDirectory: 'site' }],
  ['s-lfs', { kind: 'static', outputDirectory: '.' }],
  ['s-fail', { kind: 'static_build', framework: 'vite' }],
];

/**
 * Repositories for which no plan is detected, with the folders that are suggested instead and the kind of each folder's
 * plan.
 */
const CANDIDATES: readonly (readonly [name: string, folders: Record<string, string>])[] = [
  ['s-mono-astrocheck', { docs: 'static_build' }],
  ['m-solid', { 'apps/d': 'static' }],
  ['s-static-with-sub', { site: 'static' }],
  ['workspace-plain-build', { 'packages/site': 'static_build' }],
];

const REASONS: readonly (readonly [name: string, detail: RegExp])[] = [
  ['s-hugo-ext', /hugo-extended downloads Hugo .*STELE_HUGO/],
  ['s-sphinx', /docs\/conf\.py indicates .* built with Sphinx.*Build the site elsewhere.*Dockerfile/],
];

describe('Repositories that used to get a wrong plan', () => {
  it.each(PLANS)('%s gets the expected plan', async (name, plan) =>
    expect((await detect(filesOf(name))).plan).toMatchObject(plan),
  );

  it.each(CANDIDATES)('%s is refused with a list of deployable folders and their plans', async (name, folders) => {
    const found = await detect(filesOf(name)).catch(({ more }) => more.candidates);
    expect(Object.fromEntries(found.map(({ rootDirectory, kind }: never) => [rootDirectory, kind]))).toEqual(folders);
    for (const { rootDirectory, framework, kind, plan } of found) {
      const chosen = await detect(filesOf(name), { rootDirectory });
      expect(chosen.plan).toEqual(plan);
      expect(chosen.plan).toMatchObject({ framework, kind });
    }
  });

  it.each(REASONS)('%s is refused with instructions', (name, detail) =>
    expect(detect(filesOf(name))).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringMatching(detail),
    }),
  );

  it('every case is covered by a test', () =>
    expect([...PLANS, ...CANDIDATES, ...REASONS].map(([name]) => name).sort()).toEqual(Object.keys(cases).sort()));
});

describe('A repository with a Dockerfile', () => {
  it.each(['t-astro-docker', 's-docker-next'])(
    'the evidence for the plan of %s names the Dockerfile as an alternative',
    async (name) =>
      expect((await detect(filesOf(name))).evidence).toContainEqual({
        file: 'Dockerfile',
        why: expect.stringContaining('set plan.kind to “container”'),
      }),
  );

  it.each([
    ['plain pages', { 'index.html': 'x' }, 'static'],
    ['a Vite site', { 'package.json': packageJson({ vite: '8' }), 'index.html': 'x' }, 'static_build'],
    [
      'a server in JavaScript',
      { 'package.json': packageJson({}, { scripts: { build: 'tsc', start: 'node dist/a.js' } }) },
      'container',
    ],
    [
      'a server with a Vite front end',
      { 'package.json': packageJson({ vite: '8' }, { scripts: { build: 'vite build', start: 'node server.js' } }) },
      'container',
    ],
    ['a server with a folder of pages', { 'go.mod': 'module x', 'public/index.html': 'x' }, 'container'],
    ['a program with documentation', { 'docs/index.html': 'x' }, 'container'],
    ['a server-rendered site', { 'package.json': packageJson({ '@sveltejs/kit': '2' }) }, 'container'],
    ['a library', { 'package.json': packageJson({}, { exports: './a.js', scripts: { build: 'tsc' } }) }, 'container'],
    ['a bundled program of unknown kind', { 'package.json': packageJson({}) }, 'container'],
    ['a bundled page', { 'package.json': packageJson({}), 'index.html': 'x' }, 'static_build'],
    ['an MkDocs site', { 'mkdocs.yml': 'site_name: x', 'docs/index.md': 'x' }, 'container'],
  ] satisfies [string, FilesOfCommit, string][])('detects the right kind of plan: %s', async (_, files, kind) =>
    expect((await detect({ Dockerfile: 'FROM node:24', ...files })).plan.kind).toBe(kind),
  );

  it('a request for a container takes precedence over pages in the repository', async () =>
    expect((await detect({ Dockerfile: 'FROM x1', 'index.html': 'x' }, { plan: { kind: 'container' } })).plan).toEqual(
      expect.objectContaining({ kind: 'container', dockerfile: 'Dockerfile' }),
    ));

  it('a warning explains that a container is built because the pages need a server', async () =>
    expect(
      (await detect({ Dockerfile: 'FROM node:24', 'package.json': packageJson({ '@sveltejs/kit': '2' }) })).warnings,
    ).toContainEqual(expect.stringContaining('SvelteKit')));
});

describe('RUN lines without network access', () => {
  it('a warning names the RUN lines of a Dockerfile that need the network', async () => {
    const { warnings } = await detect(filesOf('c-run-npm'));
    expect(warnings).toEqual([expect.stringMatching(/RUN has no network access.*line 4.*fetch/)]);
  });

  it('RUN lines that don’t need the network cause no warning', async () => {
    const { warnings } = await detect({ Dockerfile: 'FROM node:24\nRUN adduser x\n' });
    expect(warnings).toEqual([]);
  });
});

describe('Detecting generators', () => {
  it.each([
    ['app.json', 'expo', 'expo'],
    ['gatsby-config.js', 'gatsby', 'gatsby'],
    ['astro.config.mjs', 'astro', 'astro'],
    ['vite.config.ts', 'vite', 'vite'],
  ])('%s is ignored without the dependency on %s', async (file, dependency, framework) => {
    const alone = { [file]: '{}', 'index.html': 'x' };
    expect((await detect(alone)).plan).toMatchObject({ kind: 'static' });
    const together = { ...alone, 'package.json': packageJson({ [dependency]: '1' }) };
    expect((await detect(together)).plan).toMatchObject({ framework });
  });

  it('finds a dependency that the workspace root declares', async () => {
    const files = {
      'package.json': packageJson({ vite: '8' }, { workspaces: ['web'], scripts: {} }),
      'web/package.json': JSON.stringify({ name: 'web' }),
      'web/vite.config.ts': '',
      'web/index.html': 'x',
    };
    expect((await detect(files, { rootDirectory: 'web' })).plan).toMatchObject({
      framework: 'vite',
      buildCommand: 'npx vite build',
    });
  });

  it.each([
    [
      'a library with a Storybook publishes the Storybook',
      { vite: '8', storybook: '9' },
      'vite build',
      { '.storybook/main.ts': '' },
      'storybook',
    ],
    [
      'an app with a Storybook publishes the app',
      { vite: '8', storybook: '9' },
      'vite build',
      { 'index.html': 'x' },
      'vite',
    ],
    [
      'a library with a VitePress site publishes the VitePress site',
      { vite: '8', vitepress: '1' },
      'vite build',
      { 'docs/.vitepress/config.ts': '' },
      'vitepress',
    ],
  ] satisfies [string, Record<string, string>, string, FilesOfCommit, string][])(
    '%s',
    async (_, dependencies, build, files, framework) =>
      expect(
        (await detect({ 'package.json': packageJson(dependencies, { scripts: { build } }), ...files })).plan.framework,
      ).toBe(framework),
  );

  it('a workspace root without sources is refused with a list of its packages', async () => {
    const root = { workspaces: ['apps/*'], scripts: { build: 'turbo build' } };
    const files = {
      'package.json': packageJson({ next: '16' }, root),
      'apps/web/package.json': packageJson({ next: '16' }),
    };
    await expect(detect(files)).rejects.toMatchObject({ more: { candidates: [{ rootDirectory: 'apps/web' }] } });
    expect((await detect({ ...files, 'app/page.tsx': '' })).plan.kind).toBe('next');
  });

  it.each([
    [
      'render.yaml',
      'services:\n  - type: web\n    runtime: static\n    name: x\n    buildCommand: make site\n    staticPublishPath: ./www\n',
    ],
    ['wrangler.toml', '[build]\ncommand = "make site"\n[assets]\ndirectory = "./www"\n'],
    [
      'wrangler.jsonc',
      '{\n  // comment\n  "build": { "command": "make site" },\n  "assets": { "directory": "./www", },\n}',
    ],
  ])('%s sets the build command and the output folder', async (file, text) =>
    expect((await detect({ [file]: text, 'package.json': packageJson({}) })).plan).toMatchObject({
      buildCommand: 'make site',
      outputDirectory: 'www',
    }),
  );

  it('the output folder is that of the first site in firebase.json, and its redirects cause a warning', async () => {
    const hosting = [
      { target: 'a', public: 'site', redirects: [] },
      { target: 'b', public: 'other' },
    ];
    const { plan, warnings } = await detect({ 'firebase.json': JSON.stringify({ hosting }), 'site/index.html': 'x' });
    expect(plan).toMatchObject({ kind: 'static', outputDirectory: 'site' });
    expect(warnings).toContainEqual(expect.stringContaining('firebase.json has redirects, which are ignored'));
  });

  it('a Git LFS file causes a warning', async () =>
    expect((await detect(filesOf('s-lfs'))).warnings).toEqual([
      'big.png is stored in Git LFS, which is not fetched, and will be skipped. Commit the file itself to the repository.',
    ]));

  it.each([
    ['conf.py', 'Sphinx'],
    ['doc/source/conf.py', 'Sphinx'],
    ['_quarto.yml', 'Quarto'],
    ['_toc.yml', 'Jupyter Book'],
    ['mkdocs.yaml', 'MkDocs'],
  ])('%s is reported as a file of %s', (file, name) =>
    expect(detect({ [file]: 'x', 'pyproject.toml': '' })).rejects.toMatchObject({
      detail: expect.stringContaining(`built with ${name}`),
    }),
  );

  it('plain pages are published even if the repository also has Sphinx documentation', async () =>
    expect((await detect({ 'docs/conf.py': '', 'docs/index.rst': '', 'index.html': 'x' })).plan).toMatchObject({
      kind: 'static',
      outputDirectory: '.',
    }));
});
