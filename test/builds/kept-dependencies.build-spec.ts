import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BuildingService } from '../support/sites/building-service.js';
import type { Tree } from '../support/sites/git-host.js';
import { locked } from './locked-projects.js';

const PUT_BACK = 'Restored the dependencies of an earlier build with the same lock file.';
const MINUTES = 3 * 60_000;

describe('The dependencies of an earlier build', () => {
  let service: BuildingService;
  beforeAll(async () => {
    service = await BuildingService.start();
  }, 120_000);
  afterAll(() => service?.stop());

  const page = (script: string) => `const fs = require('node:fs');
fs.mkdirSync('dist', { recursive: true });
const show = (value) => fs.writeFileSync('dist/index.html', JSON.stringify(value));
${script}`;
  const project = (script: string, more: Tree = {}, scripts: Record<string, string> = {}): Tree => ({
    ...locked.npm({ scripts: { build: 'node make.cjs', ...scripts } }),
    'make.cjs': page(script),
    ...more,
  });

  it(
    'are put back into the next one of the same site and lock file, as they were installed, and into no other',
    async () => {
      const spoil = `fs.writeFileSync('node_modules/ms/index.js', 'spoilt'); fs.writeFileSync('node_modules/left', ''); show(1);`;
      const first = await service.build('kept', project(spoil));
      expect({ job: first.job, lines: first.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(first.lines).toContain('$ npm ci');

      const tree = project(`show([require('ms')('1s'), fs.readdirSync('node_modules')]);`);
      const { slug, editToken } = first;
      const next = await service.build('kept', tree, { slug, editToken });
      expect({ job: next.job, lines: next.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(next.lines).toContain(PUT_BACK);
      expect(next.lines).not.toContain('$ npm ci');
      expect(JSON.parse((await next.site().expect(200)).text)).toEqual([1000, ['.package-lock.json', 'ms']]);

      const other = await service.build('kept', tree);
      expect(other.lines).toContain('$ npm ci');
      expect(other.lines).not.toContain(PUT_BACK);
    },
    MINUTES,
  );

  it(
    'are none where its install failed',
    async () => {
      const scripts = { postinstall: 'node after.cjs' };
      const failed = await service.build('failed', project('show(1);', { 'after.cjs': 'process.exit(3);' }, scripts));
      expect(failed.job).toMatchObject({ status: 'failed' });
      const { slug, editToken } = failed;
      const tree = project('show(2);', { 'after.cjs': '' }, scripts);
      const next = await service.build('failed', tree, { slug, editToken });
      expect(next.job).toMatchObject({ status: 'succeeded' });
      expect(next.lines).not.toContain(PUT_BACK);
    },
    MINUTES,
  );

  it(
    'lead nowhere and change nothing outside, whatever an install has made of them',
    async () => {
      const after = `const fs = require('node:fs');
if (!fs.existsSync('node_modules/out')) {
  fs.symlinkSync('/etc', 'node_modules/out');
  fs.symlinkSync('../../../../..', 'node_modules/up');
  fs.mkdirSync('node_modules/-rf\\n..', { recursive: true });
  fs.rmSync('deep', { recursive: true, force: true });
  fs.mkdirSync('deep/node_modules/a', { recursive: true });
  fs.symlinkSync('/cache', 'deep/node_modules/cache');
}`;
      const show = `show([fs.readlinkSync('node_modules/out'), fs.readdirSync('node_modules'), fs.existsSync('/cache/work')]);`;
      const scripts = { postinstall: 'node after.cjs' };
      const first = await service.build('hostile', project(show, { 'after.cjs': after }, scripts));
      expect(first.job).toMatchObject({ status: 'succeeded' });
      const { slug, editToken } = first;
      const next = await service.build('hostile', project(`${show} //`, { 'after.cjs': after }, scripts), {
        slug,
        editToken,
      });
      expect({ job: next.job, lines: next.lines }).toMatchObject({ job: { status: 'succeeded' } });
      expect(next.lines).toContain(PUT_BACK);
      expect(JSON.parse((await next.site().expect(200)).text)).toEqual([
        '/etc',
        expect.arrayContaining(['-rf\n..', 'ms', 'out', 'up']),
        false,
      ]);
    },
    MINUTES,
  );
});
