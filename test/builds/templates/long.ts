import type { Tree } from '../../support/sites/git-host.js';
import { json, lockedByNpm, packed, RAN, type Template } from './template.js';

const astro: Template = {
  name: 'astro',
  title: 'Made with Astro',
  tree: () =>
    lockedByNpm({
      'package.json': json({
        private: true,
        type: 'module',
        scripts: { build: 'astro build' },
        dependencies: { astro: '7.3.5' },
      }),
      'astro.config.mjs': "import { defineConfig } from 'astro/config';\nexport default defineConfig({});\n",
      'src/pages/index.astro': `---
const title = 'Made with Astro';
---
<!doctype html><html lang="en"><head><title>{title}</title></head><body><h1>{title}</h1><script>${RAN}</script></body></html>
`,
    }),
};

const svelteKit: Template = {
  name: 'sveltekit-static',
  title: 'Made with SvelteKit',
  tree: () =>
    lockedByNpm({
      'package.json': json({
        private: true,
        type: 'module',
        scripts: { build: 'vite build', prepare: "svelte-kit sync || echo ''" },
        devDependencies: {
          '@sveltejs/adapter-static': '4.0.1',
          '@sveltejs/kit': '3.2.0',
          '@sveltejs/vite-plugin-svelte': '7.3.1',
          svelte: '5.57.3',
          vite: '8.3.8',
        },
      }),
      'vite.config.js':
        "import adapter from '@sveltejs/adapter-static';\nimport { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit({ adapter: adapter() })] };\n",
      'src/app.html':
        '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>',
      'src/routes/+layout.js': 'export const prerender = true;\n',
      'src/routes/+page.svelte': `<script>
  import { onMount } from 'svelte';
  onMount(() => { ${RAN} });
</script>
<svelte:head><title>Made with SvelteKit</title></svelte:head>
<h1>Hello</h1>
`,
    }),
};

const vitePress: Template = {
  name: 'vitepress',
  title: 'Made with VitePress',
  tree: () =>
    lockedByNpm({
      'package.json': json({
        private: true,
        type: 'module',
        scripts: { 'docs:build': 'vitepress build docs', build: 'npm run docs:build' },
        devDependencies: { vitepress: '1.6.4' },
      }),
      'docs/.vitepress/config.mjs': "export default { title: 'Made with VitePress', titleTemplate: false };\n",
      'docs/.vitepress/theme/index.js': `import DefaultTheme from 'vitepress/theme';
export default { extends: DefaultTheme, enhanceApp() { if (!import.meta.env.SSR) { ${RAN} } } };
`,
      'docs/index.md': '---\ntitle: Made with VitePress\n---\n# Hello\n',
    }),
};

/** The project that `npm create docusaurus` creates. */
const docusaurus: Template = {
  name: 'docusaurus',
  title: 'Hello from My Site | My Site',
  tree: () => {
    const shared = packed('create-docusaurus@3.10.2', 'templates/shared');
    const classic: Tree = { ...shared, ...packed('create-docusaurus@3.10.2', 'templates/classic') };
    const config = String(classic['docusaurus.config.js']);
    return lockedByNpm({
      ...classic,
      'package.json': String(classic['package.json']).replace('"private": true', '"name": "site", "private": true'),
      'docusaurus.config.js': config.replace('presets: [', "clientModules: ['./ran.js'],\n  presets: ["),
      'ran.js': `if (typeof document !== 'undefined') { addEventListener('load', () => { ${RAN} }); }\n`,
    });
  },
};

const nuxt: Template = {
  name: 'nuxt-generate',
  title: 'Made with Nuxt',
  tree: () =>
    lockedByNpm({
      'package.json': json({
        private: true,
        type: 'module',
        scripts: { build: 'nuxt build', generate: 'nuxt generate', postinstall: 'nuxt prepare' },
        dependencies: { nuxt: '4.5.2', vue: '3.5.45' },
      }),
      'nuxt.config.ts': "export default defineNuxtConfig({ compatibilityDate: '2026-01-01' });\n",
      'app/app.vue': `<script setup>
useHead({ title: 'Made with Nuxt' });
onMounted(() => { ${RAN} });
</script>
<template><h1>Hello</h1></template>
`,
    }),
};

/** Returns a Vite project whose lock file is created during the build. */
const vite = (name: string, packageManager: string, more: Record<string, string> = {}): Template => ({
  name,
  title: `Made with ${name}`,
  tree: () => ({
    'package.json': json({
      private: true,
      type: 'module',
      packageManager,
      scripts: { build: 'vite build' },
      devDependencies: { vite: '8.3.8' },
    }),
    'index.html': `<!doctype html><title>Made with ${name}</title><script type="module" src="/main.js"></script>`,
    'main.js': RAN,
    ...more,
  }),
});

const pnpmWorkspace: Template = {
  name: 'pnpm-workspace',
  title: 'Made with pnpm',
  asked: { rootDirectory: 'packages/site' },
  tree: () => ({
    'package.json': json({ private: true, packageManager: 'pnpm@10.34.8' }),
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
    'packages/lib/package.json': json({ name: 'lib', version: '1.0.0', type: 'module', exports: './lib.js' }),
    'packages/lib/lib.js': `export const run = () => { ${RAN} };\n`,
    'packages/site/package.json': json({
      name: 'site',
      private: true,
      type: 'module',
      scripts: { build: 'vite build' },
      dependencies: { lib: 'workspace:*' },
      devDependencies: { vite: '8.3.8' },
    }),
    'packages/site/index.html':
      '<!doctype html><title>Made with pnpm</title><script type="module" src="/main.js"></script>',
    'packages/site/main.js': "import { run } from 'lib';\nrun();\n",
  }),
};

/** Less common templates. Building them takes minutes. */
export const long: readonly Template[] = [
  astro,
  svelteKit,
  vitePress,
  docusaurus,
  nuxt,
  pnpmWorkspace,
  vite('yarn-4', 'yarn@4.18.1'),
  vite('bun', 'bun@1.4.5'),
];
