import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

const vite = packageJson({ vite: '8' });

describe('Build settings for other hosts', () => {
  it('the folder to publish can be one that needs no build', async () =>
    expect(
      (await detect({ 'netlify.toml': '[build]\npublish = "www/"', 'www/index.html': 'x', 'index.html': 'x' })).plan,
    ).toMatchObject({
      kind: 'static',
      outputDirectory: 'www',
    }));

  it('the folder to publish is normalized', async () =>
    expect(
      (await detect({ 'package.json': vite, 'netlify.toml': '[build]\npublish = "./site/"' })).plan.outputDirectory,
    ).toBe('site'));

  it.each(['../elsewhere', 'a/../../b', 'a\\b', 'x'.repeat(2_000)])(
    'a folder outside the repository is ignored: %.20s',
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
    'a command with several lines or too many characters is ignored: %.20s',
    async (buildCommand) => {
      const { plan, warnings } = await detect({
        'package.json': vite,
        'vercel.json': JSON.stringify({ buildCommand }),
      });
      expect(plan.buildCommand).toBe('npm run build');
      expect(warnings).toContainEqual(expect.stringMatching(/^A command in vercel\.json is ignored/));
    },
  );

  it('the base folder of netlify.toml is used', async () => {
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

  it.each(['../up', '/', 'not-there'])('the root is used if the base folder is %j', async (base) => {
    const files = { 'netlify.toml': `[build]\nbase = "${base}"`, 'package.json': vite };
    expect((await detect(files)).plan).toMatchObject({ rootDirectory: '.', framework: 'vite' });
  });
});
