import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

const vite = packageJson({ vite: '8' }, { scripts: { build: 'vite build' } });

describe('The output folder in the settings of a generator', () => {
  it.each([
    [
      'vite',
      { vite: '8' },
      { 'index.html': '', 'vite.config.js': "export default { build: { outDir: 'docs' } }" },
      'docs',
    ],
    ['vite', { vite: '8' }, { 'src/index.html': '', 'vite.config.ts': "export default { root: './src' }" }, 'src/dist'],
    [
      'vite',
      { vite: '8' },
      { 'src/index.html': '', 'vite.config.ts': "export default { root: 'src', build: { outDir: '../public/' } }" },
      'public',
    ],
    [
      'vite',
      { vite: '8' },
      { 'index.html': '', 'vite.config.ts': "export default { build: { outDir: path.resolve(__dirname, 'www') } }" },
      'www',
    ],
    ['astro', { astro: '6' }, { 'astro.config.mjs': "export default { outDir: './docs' }" }, 'docs'],
    [
      'svelte-kit',
      { '@sveltejs/kit': '2', '@sveltejs/adapter-static': '3', vite: '8' },
      { 'svelte.config.js': "adapter({ pages: 'docs', assets: 'docs' })" },
      'docs',
    ],
    [
      'eleventy',
      { '@11ty/eleventy': '3' },
      { '.eleventy.js': 'eleventyConfig.dir = { output: "dist", input: "src" }' },
      'dist',
    ],
    [
      'eleventy',
      { '@11ty/eleventy': '3' },
      { 'eleventy.config.js': "eleventyConfig.setOutputDirectory('public')" },
      'public',
    ],
    ['vue', { '@vue/cli-service': '5' }, { 'vue.config.js': "module.exports = { outputDir: 'site' }" }, 'site'],
    [
      'vitepress',
      { vitepress: '1' },
      { 'docs/.vitepress/config.mts': "export default { outDir: '../dist' }", 'docs/index.md': '' },
      'dist',
    ],
    ['hexo', { hexo: '8' }, { '_config.yml': 'title: x\npublic_dir: docs # for GitHub Pages\n' }, 'docs'],
  ] satisfies [string, Record<string, string>, Record<string, string>, string][])(
    'the plan for %s with %j uses the output folder in its settings: %j → %s',
    async (framework, dependencies, files, outputDirectory) =>
      expect((await detect({ 'package.json': packageJson(dependencies), ...files })).plan).toMatchObject({
        framework,
        outputDirectory,
      }),
  );

  it.each([
    ['vite build --outDir docs', 'docs'],
    ['vite build --outDir=../outside', 'dist'],
    ['tsc && vite build --out-dir "docs"', 'docs'],
    ['tailwindcss -i a.css --output public/a.css && vite build', 'dist'],
  ])('the output folder can be an option of the build script: %s', async (build, outputDirectory) =>
    expect(
      (await detect({ 'index.html': '', 'package.json': packageJson({ vite: '8' }, { scripts: { build } }) })).plan,
    ).toMatchObject({ outputDirectory }),
  );

  it('an exported Next.js site is published from the output folder in its settings', async () => {
    const files = {
      'package.json': packageJson({ next: '16' }),
      'next.config.mjs': "export default { output: 'export', distDir: 'docs' }",
    };
    expect((await detect(files)).plan).toMatchObject({ kind: 'next', outputDirectory: 'docs' });
  });

  it.each([
    ["export default { build: { outDir: '../elsewhere' } }", 'outside of the repository'],
    ["export default { build: { /* outDir */ outDir: isLive ? 'a' : 'b' } }", 'computed'],
    ["export default {\n  // build: { outDir: 'old' },\n}", 'in a comment'],
    [`export default { build: { outDir: '${'x'.repeat(2_000)}' } }`, 'too long'],
  ])('a setting of the output folder is ignored if it can’t be used: %.60s… (%s)', async (config) =>
    expect((await detect({ 'index.html': '', 'package.json': vite, 'vite.config.js': config })).plan).toMatchObject({
      outputDirectory: 'dist',
    }),
  );

  it('the output folder of a generator does not override the settings of another host', async () => {
    const files = {
      'index.html': '',
      'package.json': vite,
      'vite.config.js': "export default { build: { outDir: 'docs' } }",
      'netlify.toml': '[build]\npublish = "site"',
    };
    expect((await detect(files)).plan).toMatchObject({ outputDirectory: 'site' });
  });
});
