import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../../test/support/sites/commit-in-memory.js';

describe('Projects without pages', () => {
  const scripts = (build: string, start?: string) => packageJson({}, { private: true, scripts: { build, start } });

  it.each([
    'tsc',
    'tsc -p tsconfig.json',
    'prisma generate && tsc',
    'rimraf dist && tsup src/index.ts',
    'wrangler build',
    'del distribution && tsc',
    'tshy',
  ])('a package built with “%s” is reported as a library or tool', (build) =>
    expect(detect({ 'package.json': scripts(build) })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringMatching(
        /a library or a tool, not a site: its build script is .* no index\.html.*plan\.kind/,
      ),
    }),
  );

  it.each([
    ['tsc', 'node dist/index.js'],
    ['nest build', 'nest start'],
    ['xmcp build', 'node dist/edge/http.js'],
  ])('a package built with “%s” and started with “%s” is reported as a server', (build, start) =>
    expect(detect({ 'package.json': scripts(build, start) })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining(`describes a server (“${start}”)`),
    }),
  );

  it.each(['tsc && node make-pages.js', 'node build.js', 'webpack', 'gulp build'])(
    'a package with the build command “%s” is built, because it might have pages',
    async (build) =>
      expect((await detect({ 'package.json': scripts(build) })).plan).toMatchObject({ kind: 'static_build' }),
  );

  it('a package with only a start script is reported as a server', () =>
    expect(
      detect({
        'package.json': JSON.stringify({ scripts: { start: 'node index.js' }, dependencies: { express: '5' } }),
      }),
    ).rejects.toMatchObject({ detail: expect.stringContaining('describes a server (“node index.js”)') }));

  it('a package that depends on a server framework and has no script to start it is reported as a server', () =>
    expect(
      detect({
        'package.json': JSON.stringify({ scripts: { dev: 'nodemon src/index.js' }, dependencies: { express: '4' } }),
        'src/static/index.html': '',
      }),
    ).rejects.toMatchObject({
      detail: expect.stringMatching(/^package\.json describes a server \(it depends on express\).*Dockerfile/),
    }));

  it('plain pages of a project that also has a server are published with a warning', async () => {
    const files = {
      'index.html': 'x',
      'server.js': '',
      'package.json': JSON.stringify({ scripts: { start: 'node server.js' }, dependencies: { express: '4' } }),
    };
    const { plan, warnings } = await detect(files);
    expect(plan).toMatchObject({ kind: 'static', outputDirectory: '.' });
    expect(warnings).toContain(
      'package.json describes a server (“node server.js”), which cannot run here. The pages are published without it.',
    );
  });

  it.each(['live-server', 'http-server .', 'vite preview'])(
    'plain pages with a start script that only serves them are published without a warning: %s',
    async (start) =>
      expect(
        (await detect({ 'index.html': 'x', 'package.json': JSON.stringify({ scripts: { start } }) })).warnings,
      ).toEqual([]),
  );

  it.each([
    ['go.mod', 'Go'],
    ['Cargo.toml', 'Rust'],
    ['requirements.txt', 'Python'],
    ['pyproject.toml', 'Python'],
    ['Gemfile', 'Ruby'],
    ['composer.json', 'PHP'],
    ['pom.xml', 'Java'],
    ['mix.exs', 'Elixir'],
    ['deno.json', 'Deno'],
  ])('a project in another language is reported: %s indicates %s', async (file, language) => {
    const why = `${file} indicates that this project needs ${language}, which is not available here`;
    await expect(detect({ [file]: '' })).rejects.toMatchObject({ detail: expect.stringContaining(why) });
    const { plan, warnings } = await detect({ [file]: '', 'public/index.html': 'x' });
    expect(plan).toMatchObject({ kind: 'static', outputDirectory: 'public' });
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  it.each([
    { 'index.html': 'x' },
    { 'package.json': packageJson({ vite: '8' }), 'package-lock.json': '{}', 'index.html': 'x' },
  ])('pages are published without the Cloudflare Worker beside them, with a warning', async (files) => {
    const { warnings } = await detect({ ...files, 'wrangler.jsonc': '{ "main": "src/worker.ts" }' });
    expect(warnings).toEqual([expect.stringContaining('wrangler.jsonc configures a Cloudflare Worker')]);
  });

  it('an Nx workspace is refused, because a project has to be chosen', () =>
    expect(
      detect({ 'nx.json': '{}', 'package.json': packageJson({ next: '16' }), 'apps/web/project.json': '{}' }),
    ).rejects.toMatchObject({ code: 'plan_not_detected', detail: expect.stringContaining('npx nx build') }));

  it('an Nx workspace of packages is refused with a list of its packages', () =>
    expect(
      detect({ 'nx.json': '{}', 'package.json': '{}', 'apps/web/package.json': packageJson({ vite: '8' }) }),
    ).rejects.toMatchObject({ more: { candidates: [{ rootDirectory: 'apps/web' }] } }));

  it('a library that only has a framework as a development dependency is not built', () =>
    expect(
      detect({ 'package.json': JSON.stringify({ exports: './index.ts', devDependencies: { astro: '6' } }) }),
    ).rejects.toMatchObject({ detail: expect.stringContaining('a library or a tool') }));

  it('a library or tool is refused unless the request asks for a build or the repository has a page', async () => {
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
});
