import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

describe('A framework that may render on a server', () => {
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
});
