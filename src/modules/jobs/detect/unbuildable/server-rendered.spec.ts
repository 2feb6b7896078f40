import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../../test/support/sites/commit-in-memory.js';

describe('Frameworks that may render on a server', () => {
  it.each([
    ['SvelteKit', { '@sveltejs/kit': '2', '@sveltejs/adapter-auto': '6', vite: '8' }, {}],
    ['SvelteKit', { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5', vite: '8' }, {}],
    ['Nuxt', { nuxt: '4' }, {}],
    ['React Router', { '@react-router/dev': '8' }, { 'react-router.config.ts': 'export default { ssr: true }' }],
    ['Remix', { '@remix-run/dev': '2' }, { 'public/index.html': '' }],
    ['Astro', { astro: '6' }, { 'astro.config.mjs': "export default { output: 'server' }" }],
    ['TanStack Start', { '@tanstack/react-start': '1' }, { 'vite.config.ts': 'tanstackStart()' }],
    ['TanStack Start', { '@tanstack/solid-start': '1', vite: '8' }, { 'vite.config.ts': 'tanstackStart()' }],
    ['Hydrogen', { '@shopify/hydrogen': '2026', '@remix-run/dev': '2' }, {}],
    ['Angular', { '@angular/cli': '22', '@angular/ssr': '22' }, { 'angular.json': '{"outputMode":"server"}' }],
    ['Laravel', { 'laravel-vite-plugin': '2', vite: '8' }, { artisan: '', 'composer.json': '{}' }],
    ['Vite with React Server Components', { '@vitejs/plugin-rsc': '1', vite: '8' }, {}],
    ['Solid', { '@solidjs/vite-plugin': '3', vite: '8' }, { 'vite.config.ts': 'solid({ ssr: true })' }],
    ['Nitro', { nitropack: '2' }, {}],
    ['NestJS', { '@nestjs/core': '12' }, {}],
    ['Mastra', { mastra: '1' }, {}],
  ] satisfies [string, Record<string, string>, Record<string, string>][])(
    '%s with a server is refused, and the refusal says what to change',
    (name, dependencies, files) =>
      expect(detect({ 'package.json': packageJson(dependencies), ...files })).rejects.toMatchObject({
        code: 'plan_not_detected',
        detail: expect.stringMatching(
          new RegExp(`^(?:This ${name} project renders its pages on a server|${name} needs a server to run)`),
        ),
      }),
  );

  it.each([
    ['svelte-kit', { '@sveltejs/kit': '2', '@sveltejs/adapter-static': '3', vite: '8' }, {}],
    ['react-router', { '@react-router/dev': '8' }, { 'react-router.config.ts': 'export default { ssr: false }' }],
    ['astro', { astro: '6', '@astrojs/node': '10' }, { 'astro.config.mjs': 'export default {}' }],
    ['astro', { astro: '6' }, { 'astro.config.mjs': "export default {\n  // output: 'server',\n}" }],
    ['angular', { '@angular/cli': '22', '@angular/ssr': '22' }, { 'angular.json': '{"outputMode": "static"}' }],
    [
      'solid-js',
      { '@solidjs/vite-plugin': '3', 'solid-js': '2', vite: '8' },
      { 'vite.config.ts': 'solid(), // or ssr: true' },
    ],
  ] satisfies [string, Record<string, string>, Record<string, string>][])(
    '%s is built if it only produces files',
    async (framework, dependencies, files) =>
      expect((await detect({ 'package.json': packageJson(dependencies), ...files })).plan).toMatchObject({
        kind: 'static_build',
        framework,
      }),
  );

  it.each([
    ['Nuxt', { nuxt: '4' }, { generate: 'nuxt generate' }, { 'server/api/chat.post.js': '' }, 'server/api'],
    [
      'Eleventy',
      { '@11ty/eleventy': '2' },
      { build: 'eleventy' },
      { 'netlify/functions/a/index.js': '' },
      'netlify/functions',
    ],
    ['Vite', { vite: '8' }, { build: 'vite build' }, { 'index.html': '', 'functions/hello.ts': '' }, 'functions'],
    [
      'Vite',
      { vite: '8' },
      { build: 'vite build' },
      { 'index.html': '', 'vercel.json': '{}', 'api/hello.ts': '' },
      'api',
    ],
  ] satisfies [string, Record<string, string>, Record<string, string>, Record<string, string>, string][])(
    '%s with code that needs a server is built with a warning: %j %j %j',
    async (_, dependencies, scripts, files, folder) =>
      expect((await detect({ 'package.json': packageJson(dependencies, { scripts }), ...files })).warnings).toContain(
        `${folder} contains code that needs a server, which cannot run here. The site’s files are published without it.`,
      ),
  );

  it.each([
    ['a Next.js site, whose server runs it', { next: '16' }, { 'pages/api/a.js': '', 'vercel.json': '{}' }],
    [
      'folders of the same name with other contents',
      { vite: '8' },
      { 'index.html': '', 'functions/README.md': '', 'api/openapi.yaml': '' },
    ],
  ] satisfies [string, Record<string, string>, Record<string, string>][])(
    'no warning about server code is given for %s',
    async (_, dependencies, files) =>
      expect((await detect({ 'package.json': packageJson(dependencies), ...files })).warnings).not.toContainEqual(
        expect.stringContaining('needs a server'),
      ),
  );

  it('Nuxt is built with its generate script rather than the build command for another host', async () => {
    const scripts = { build: 'nuxt build', generate: 'nuxt generate' };
    const files = {
      'package.json': packageJson({ nuxt: '4' }, { scripts }),
      'vercel.json': '{"buildCommand":"nuxt build"}',
    };
    expect((await detect(files)).plan).toMatchObject({ buildCommand: 'npm run generate' });
  });

  it.each([
    ["export default { output: 'export' }", {}],
    ['module.exports = {\n  output: "export",\n}', {}],
    ['', { scripts: { build: 'next build && next export' } }],
  ])('a static export of Next.js is published from its “out” folder: %s', async (config, more) => {
    const { plan, warnings } = await detect({
      'package.json': packageJson({ next: '16', react: '19' }, more),
      'package-lock.json': '{}',
      'next.config.mjs': config,
    });
    expect(plan).toMatchObject({ kind: 'next', framework: 'next', outputDirectory: 'out' });
    expect(warnings).toEqual([]);
  });

  it('Next.js with server rendering has no folder to publish', async () => {
    const files = {
      'package.json': packageJson({ next: '16' }),
      'next.config.ts': "export default { output: 'standalone' }",
    };
    expect((await detect(files)).plan).toMatchObject({ kind: 'next', outputDirectory: null });
  });

  it('Nuxt is built with its generate script if there is one', async () => {
    const scripts = { build: 'nuxt build', generate: 'nuxt generate' };
    const { plan } = await detect({ 'package.json': packageJson({ nuxt: '4' }, { scripts }) });
    expect(plan).toMatchObject({ buildCommand: 'npm run generate', outputDirectory: '.output/public' });
  });
});
