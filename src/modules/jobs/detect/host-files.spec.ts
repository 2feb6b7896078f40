import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

const vite = packageJson({ vite: '8' });

describe('A file that tells another host how to build', () => {
  it('names the folder that is published as it is', async () =>
    expect(
      (await detect({ 'netlify.toml': '[build]\npublish = "www/"', 'www/index.html': 'x', 'index.html': 'x' })).plan,
    ).toMatchObject({
      kind: 'static',
      outputDirectory: 'www',
    }));

  it('names the folder of a build, however it writes that', async () =>
    expect(
      (await detect({ 'package.json': vite, 'netlify.toml': '[build]\npublish = "./site/"' })).plan.outputDirectory,
    ).toBe('site'));

  it.each(['../elsewhere', 'a/../../b', 'a\\b', 'x'.repeat(2_000)])(
    'is not followed out of the repository: %.20s',
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
    'has no command that is more than a line: %.20s',
    async (buildCommand) => {
      const { plan, warnings } = await detect({
        'package.json': vite,
        'vercel.json': JSON.stringify({ buildCommand }),
      });
      expect(plan.buildCommand).toBe('npm run build');
      expect(warnings).toContainEqual(expect.stringMatching(/^A command in vercel\.json is ignored/));
    },
  );

  it('names the folder that holds the site', async () => {
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

  it.each(['../up', '/', 'not-there'])('is looked at from the root where that folder is %j', async (base) => {
    const files = { 'netlify.toml': `[build]\nbase = "${base}"`, 'package.json': vite };
    expect((await detect(files)).plan).toMatchObject({ rootDirectory: '.', framework: 'vite' });
  });
});
