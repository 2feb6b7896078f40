import { describe, expect, it } from '@jest/globals';
import type { RepoSource } from '../../../events/repo-source.js';
import { RepoCopy, type RepoEntry } from '../../../kernel/ports/repositories.js';
import { detected } from './detected.js';
import { mayBeMajor } from './node-version.js';
import { RepoFiles } from './repo-files.js';
import { rootDirectoryOf } from './root-directory.js';

/** A commit that is in memory. */
class Commit extends RepoCopy {
  override readonly url = 'https://example.org/a';
  override readonly ref = 'main';
  override readonly commit = '1'.repeat(40);

  constructor(private readonly files: Readonly<Record<string, string>>) {
    super();
  }

  override entries = async () =>
    Object.entries(this.files).map(
      ([path, text]): RepoEntry => ({
        path,
        kind: 'file',
        oid: path,
        size: Buffer.byteLength(text),
        isExecutable: false,
      }),
    );

  override async *content({ oid }: RepoEntry) {
    yield Buffer.from(this.files[oid] ?? '');
  }

  override close = async () => undefined;
}

const wish = { rootDirectory: null, plan: {} };
const detect = async (
  files: Record<string, string>,
  wanted: Partial<Pick<RepoSource, 'rootDirectory' | 'plan'>> = {},
) => detected(await RepoFiles.of(new Commit(files)), { ...wish, ...wanted });
const packageJson = (dependencies: Record<string, string>, more: object = {}) =>
  JSON.stringify({ dependencies, scripts: { build: 'x build' }, ...more });
const refused = (code: string) => expect.objectContaining({ name: 'Refusal', code });

describe('What a repository is', () => {
  it.each([
    ['vite', { vite: '8' }, 'dist'],
    ['astro', { astro: '5' }, 'dist'],
    ['eleventy', { '@11ty/eleventy': '3' }, '_site'],
    ['gatsby', { gatsby: '5' }, 'public'],
  ])('%s is built and its folder published', async (framework, dependencies, outputDirectory) => {
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
    expect(evidence).toContainEqual({ file: 'package.json', why: expect.stringContaining('made with') });
  });

  it.each([
    ['Hugo', { 'hugo.toml': 'title = "x"', 'content/a.md': '# a' }],
    ['Hugo', { 'config.toml': 'baseURL = "https://example.org"', 'content/a.md': '# a' }],
    ['Zola', { 'config.toml': 'base_url = "https://example.org"', 'content/a.md': '# a' }],
    ['Jekyll', { '_config.yml': 'title: x', 'index.md': '# a' }],
    ['MkDocs', { 'mkdocs.yml': 'site_name: x', 'docs/index.md': '# a' }],
    ['mdBook', { 'book.toml': '[book]', 'src/SUMMARY.md': '# a' }],
  ] satisfies [string, Record<string, string>][])('%s is none that builds here have, and it says so', (name, files) =>
    expect(detect(files)).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining(`made with ${name}`),
    }),
  );

  it('Hugo can be built where npm brings it along', async () => {
    const files = { 'hugo.toml': '', 'package.json': packageJson({ 'hugo-extended': '1' }) };
    expect((await detect(files)).plan).toMatchObject({ kind: 'static_build', buildCommand: 'npm run build' });
  });

  it.each([
    ['SvelteKit', { '@sveltejs/kit': '2', '@sveltejs/adapter-auto': '6', vite: '8' }, {}],
    ['SvelteKit', { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5', vite: '8' }, {}],
    ['Nuxt', { nuxt: '4' }, {}],
    ['React Router', { '@react-router/dev': '8' }, { 'react-router.config.ts': 'export default { ssr: true }' }],
    ['Remix', { '@remix-run/dev': '2' }, { 'public/index.html': '' }],
    ['Astro', { astro: '6' }, { 'astro.config.mjs': "export default { output: 'server' }" }],
    ['TanStack Start', { '@tanstack/react-start': '1' }, { 'vite.config.ts': 'tanstackStart()' }],
  ] satisfies [string, Record<string, string>, Record<string, string>][])(
    '%s with a server is refused, with what to change',
    (name, dependencies, files) =>
      expect(detect({ 'package.json': packageJson(dependencies), ...files })).rejects.toMatchObject({
        code: 'plan_not_detected',
        detail: expect.stringMatching(new RegExp(`^${name} renders on a server`)),
      }),
  );

  it.each([
    ['svelte-kit', { '@sveltejs/kit': '2', '@sveltejs/adapter-static': '3', vite: '8' }, {}],
    ['react-router', { '@react-router/dev': '8' }, { 'react-router.config.ts': 'export default { ssr: false }' }],
    ['astro', { astro: '6', '@astrojs/node': '10' }, { 'astro.config.mjs': 'export default {}' }],
  ] satisfies [string, Record<string, string>, Record<string, string>][])(
    '%s that makes files is built',
    async (framework, dependencies, files) =>
      expect((await detect({ 'package.json': packageJson(dependencies), ...files })).plan).toMatchObject({
        kind: 'static_build',
        framework,
      }),
  );

  it('Nuxt is generated, where it has a script for that', async () => {
    const scripts = { build: 'nuxt build', generate: 'nuxt generate' };
    const { plan } = await detect({ 'package.json': packageJson({ nuxt: '4' }, { scripts }) });
    expect(plan).toMatchObject({ buildCommand: 'npm run generate', outputDirectory: '.output/public' });
  });

  it('a library or a tool makes no page, and it says so', async () => {
    const library = packageJson({}, { scripts: { build: 'tsc -p .' }, exports: './dist/index.js' });
    await expect(detect({ 'package.json': library })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining('a library or a tool'),
    });
    expect((await detect({ 'package.json': library }, { plan: { kind: 'static_build' } })).plan.kind).toBe(
      'static_build',
    );
    expect((await detect({ 'package.json': library, 'index.html': 'x' })).plan.kind).toBe('static_build');
  });

  it('a plain page whose tests need Vite is not built by it', async () => {
    const tested = packageJson({ vite: '8', vitest: '4' }, { scripts: { test: 'vitest' } });
    expect((await detect({ 'package.json': tested, 'index.html': 'x' })).plan.kind).toBe('static');
  });

  it('of many packages is asked which, and they are listed', async () => {
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
  ])('%s says how to build it, and its redirects are warned about', async (file, text) => {
    const { plan, warnings, evidence } = await detect({ 'package.json': packageJson({ vite: '8' }), [file]: text });
    expect(plan).toMatchObject({ buildCommand: 'make site', outputDirectory: 'www' });
    expect(warnings).toContain(`${file} has redirects, which are not followed: write them into a file _redirects.`);
    expect(evidence).toContainEqual({ file, why: 'says how to build it' });
  });

  it.each([
    ['{"name":"x","lockfileVersion":3}', 'package-lock.json', 'npm ci'],
    ["lockfileVersion: '9.0'", 'pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ['# yarn lockfile v1', 'yarn.lock', 'yarn install --frozen-lockfile'],
    ['__metadata:\n  version: 8', 'yarn.lock', 'yarn install --immutable'],
    ['{}', 'bun.lock', 'bun install --frozen-lockfile'],
  ])('installs what the lock file %j has', async (text, file, installCommand) =>
    expect((await detect({ 'package.json': packageJson({ vite: '8' }), [file]: text })).plan).toMatchObject({
      installCommand,
    }),
  );

  it('takes the package manager that package.json pins', async () => {
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

  it('takes a Containerfile for a Dockerfile', async () =>
    expect((await detect({ Containerfile: 'FROM x' })).plan).toMatchObject({ dockerfile: 'Containerfile' }));

  it('Next.js is a kind of its own', async () => {
    const { plan } = await detect({ 'package.json': packageJson({ next: '16', react: '19' }) });
    expect(plan).toMatchObject({ kind: 'next', framework: 'next', buildCommand: 'npm run build' });
  });

  it('a Dockerfile goes before everything else', async () => {
    const files = { Dockerfile: 'FROM x', 'package.json': packageJson({ next: '16' }), 'index.html': 'x' };
    expect((await detect(files)).plan).toMatchObject({ kind: 'container', dockerfile: 'Dockerfile' });
  });

  it('a build script is built, whatever it is made with', async () => {
    const { plan, warnings } = await detect({ 'package.json': packageJson({}), 'index.html': 'x' });
    expect(plan).toMatchObject({ kind: 'static_build', framework: null, buildCommand: 'npm run build' });
    expect(warnings).toContainEqual(expect.stringContaining('no lock file'));
  });

  it.each([
    ['index.html', '.'],
    ['public/index.html', 'public'],
    ['docs/index.html', 'docs'],
  ])('plain pages with %s are published out of %s', async (file, outputDirectory) =>
    expect((await detect({ [file]: 'x', 'README.md': 'x' })).plan).toMatchObject({ kind: 'static', outputDirectory }),
  );

  it('nothing of that is no site, and it says what was looked for', async () =>
    expect(detect({ 'main.c': 'x', 'site/index.html': 'x' })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining('index.html'),
    }));

  it('is looked for in the folder that is asked for, with the lock file from further up', async () => {
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

  it('stands as the caller wishes', async () => {
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

  it('tells of a Node that builds do not run on', async () => {
    const { plan, warnings } = await detect({
      'package.json': packageJson({ vite: '8' }, { engines: { node: '<20' } }),
      'yarn.lock': '',
    });
    expect(plan.nodeVersion).toBe('<20');
    expect(warnings).toEqual([expect.stringContaining('Node <20')]);
  });

  it.each([
    ['no JSON', '{'],
    ['an array', '[]'],
    ['scripts that are none', '{"scripts":[1],"dependencies":"next","engines":7}'],
    ['scripts of numbers', '{"scripts":{"build":1,"dev":null}}'],
    ['names of all objects', '{"dependencies":{"__proto__":{"next":"1"}},"scripts":{"constructor":"x"}}'],
    ['patterns without end', `{"workspaces":["${'{a,b}'.repeat(200)}"]}`],
    ['a megabyte', JSON.stringify({ a: 'x'.repeat(1_100_000) })],
  ])('is not upset by a package.json with %s', async (_, text) =>
    expect((await detect({ 'package.json': text, 'index.html': 'x' })).plan.kind).toBe('static'),
  );

  it('never holds half a character, nor more than it can', async () => {
    const hostile = packageJson({ vite: '8' }, { engines: { node: `\ud800${'9'.repeat(5_000)}` } });
    const { plan } = await detect({ 'package.json': hostile });
    expect(plan.nodeVersion?.isWellFormed()).toBe(true);
    expect(plan.nodeVersion?.length).toBeLessThanOrEqual(100);
  });
});

describe('A range of versions of Node', () => {
  it.each([
    '24',
    'v24.1.0',
    '^24',
    '~24.3',
    '>=20',
    '>=18 <25',
    '>= 20',
    '18 || 24',
    '*',
    'lts/*',
    '24.x',
    '<=24',
    '<25',
    '<24.5',
  ])('%s may mean 24', (range) => expect(mayBeMajor(range, 24)).toBe(true));
  it.each(['20', 'v22.1.0', '^18', '>=26', '<24', '<24.0.0', '>=18 <24', '18 || 20'])('%s does not', (range) =>
    expect(mayBeMajor(range, 24)).toBe(false),
  );
});

describe('A root directory', () => {
  it.each([
    [null, '.'],
    ['', '.'],
    ['.', '.'],
    ['./', '.'],
    ['/', '.'],
    ['/a/b/', 'a/b'],
    ['./a', 'a'],
  ])('%j is %s', (text, path) => expect(rootDirectoryOf(text)).toBe(path));
  it.each(['..', '../a', 'a/../b', 'a//b', 'a/./b', 'a\\b', 'a\nb', '\ud800', 'x'.repeat(2_000)])(
    '%j is none',
    (text) => expect(() => rootDirectoryOf(text)).toThrow(refused('invalid_request')),
  );
  it('is none in a moment, however many slashes are in it', () => {
    const began = performance.now();
    expect(() => rootDirectoryOf(`a${'/'.repeat(60_000)}b`)).toThrow(refused('invalid_request'));
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
