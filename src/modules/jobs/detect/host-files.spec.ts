import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

const vite = packageJson({ vite: '8' });

describe('Build settings for other hosts', () => {
  it('settings for another host can specify a published folder that needs no build', async () =>
    expect(
      (await detect({ 'netlify.toml': '[build]\npublish = "www/"', 'www/index.html': 'x', 'index.html': 'x' })).plan,
    ).toMatchObject({
      kind: 'static',
      outputDirectory: 'www',
    }));

  it('the published folder in settings for another host is normalized', async () =>
    expect(
      (await detect({ 'package.json': vite, 'netlify.toml': '[build]\npublish = "./site/"' })).plan.outputDirectory,
    ).toBe('site'));

  it.each(['../elsewhere', 'a/../../b', 'a\\b', 'x'.repeat(2_000)])(
    'settings for another host are ignored if their folder is outside the repository: %.20s',
    async (publish) => {
      const { plan, warnings } = await detect({
        'package.json': vite,
        'vercel.json': JSON.stringify({ outputDirectory: publish }),
      });
      expect(plan.outputDirectory).toBe('dist');
      expect(warnings).toContainEqual(expect.stringMatching(/^The publish folder in vercel\.json is ignored/));
    },
  );

  it.each(['x'.repeat(1_001), 'npm run build\nrm -rf /'])(
    'settings for another host are ignored if a command has several lines or is too long: %.20s',
    async (buildCommand) => {
      const { plan, warnings } = await detect({
        'package.json': vite,
        'vercel.json': JSON.stringify({ buildCommand }),
      });
      expect(plan.buildCommand).toBe('npm run build');
      expect(warnings).toContainEqual(expect.stringMatching(/^A command in vercel\.json is ignored/));
    },
  );

  it('Vercel’s output folder “.next” is not published; the packages of the workspace are suggested instead', () =>
    expect(
      detect({
        'package.json': JSON.stringify({ workspaces: ['client'], scripts: { build: 'turbo build' } }),
        'client/package.json': packageJson({ next: '16' }),
        'client/app/page.js': '',
        'vercel.json': '{"framework":"nextjs","buildCommand":"turbo build","outputDirectory":".next"}',
      }),
    ).rejects.toMatchObject({ more: { candidates: [{ rootDirectory: 'client', kind: 'next' }] } }));

  it('the plan uses the base folder in netlify.toml', async () => {
    const files = {
      'netlify.toml': '[build]\nbase = "site/"\npublish = "out"\ncommand = "make"',
      'site/package.json': vite,
    };
    expect((await detect(files)).plan).toMatchObject({
      rootDirectory: 'site',
      outputDirectory: 'out',
      buildCommand: 'make',
    });
  });

  it.each(['../up', '/', 'not-there'])(
    'the plan uses the root folder if the base folder in netlify.toml is %j',
    async (base) => {
      const files = { 'netlify.toml': `[build]\nbase = "${base}"`, 'package.json': vite };
      expect((await detect(files)).plan).toMatchObject({ rootDirectory: '.', framework: 'vite' });
    },
  );
});
