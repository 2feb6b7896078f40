// needs: database, git, bubblewrap

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BuildingService } from '../support/sites/building-service.js';
import type { Tree } from '../support/sites/git-host.js';
import { locked } from './locked-projects.js';

const DEPENDENCIES = { dependencies: { 'is-number': '7.0.0' } };
const LOCK = JSON.stringify({
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': DEPENDENCIES,
    'node_modules/is-number': {
      version: '7.0.0',
      resolved: 'https://registry.npmjs.org/is-number/-/is-number-7.0.0.tgz',
      integrity: 'sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==',
    },
  },
});
const MINUTES = 3 * 60_000;

describe('A malicious commit with an unchanged manifest and lock file', () => {
  let service: BuildingService;
  beforeAll(async () => {
    service = await BuildingService.start();
  }, 120_000);
  afterAll(() => service?.stop());

  const inTurn = async (name: string, hostile: Tree, honest: Tree) => {
    const first = await service.build(name, hostile);
    expect({ job: first.job, lines: first.lines }).toMatchObject({ job: { status: 'succeeded' } });
    const pages = [(await first.site().expect(200)).text];
    const { slug, editToken } = first;
    const next = await service.build(name, honest, { slug, editToken });
    expect({ job: next.job, lines: next.lines }).toMatchObject({ job: { status: 'succeeded' } });
    pages.push((await next.site().expect(200)).text);
    return { pages, first, next };
  };

  /**
   * A project whose page shows two things: what a script in `lib` gets when it requires the dependency, and which
   * packages are installed.
   */
  const project = (scripts: Record<string, string> = {}) => ({
    'package.json': JSON.stringify({ ...DEPENDENCIES, scripts: { build: 'node make.cjs', ...scripts } }),
    'package-lock.json': LOCK,
    'lib/check.cjs': `module.exports = require('is-number')('1');`,
    'make.cjs': `const fs = require('node:fs');
fs.mkdirSync('dist', { recursive: true });
const found = [require('./lib/check.cjs'), fs.readdirSync('node_modules').sort(), fs.existsSync('deep')];
fs.writeFileSync('dist/index.html', JSON.stringify(found));`,
  });
  const unchanged = JSON.stringify([true, ['.package-lock.json', 'is-number'], false]);

  it(
    'a committed node_modules folder, and changes made by the build command, do not reach later builds',
    async () => {
      const honest = project();
      const spoil = `${honest['make.cjs']}
fs.writeFileSync('node_modules/is-number/index.js', 'module.exports = () => "hostile";');
fs.mkdirSync('deep/node_modules/is-number', { recursive: true });`;
      const hostile = {
        ...honest,
        'make.cjs': spoil,
        'lib/node_modules/is-number/index.js': 'module.exports = () => "hostile";',
        'lib/node_modules/.bin/tool': { link: '/etc/passwd' },
        'packages/a/node_modules': { link: '../../lib' },
      } satisfies Tree;
      const { pages, first } = await inTurn('committed', hostile, honest);
      expect(pages).toEqual([unchanged, unchanged]);
      expect(first.lines).toContain(
        'Ignored 2 node_modules folders in the repository (lib/node_modules, packages/a/node_modules): dependencies are installed instead.',
      );
    },
    MINUTES,
  );

  it(
    'packages, links and downloads that install scripts have tampered with do not reach later builds',
    async () => {
      const scripts = { postinstall: 'node after.cjs' };
      const after = `const fs = require('node:fs'), path = require('node:path');
fs.writeFileSync('node_modules/is-number/index.js', 'module.exports = () => "hostile";');
fs.mkdirSync('deep/node_modules/is-number', { recursive: true });
fs.symlinkSync('/etc', 'node_modules/out');
fs.symlinkSync('../../../..', 'node_modules/up');
fs.mkdirSync('node_modules/-rf\\n..', { recursive: true });
const cache = path.join(process.env.HOME, '.npm/_cacache/content-v2');
for (const file of fs.readdirSync(cache, { recursive: true, withFileTypes: true }))
  if (file.isFile()) fs.writeFileSync(path.join(file.parentPath, file.name), 'hostile');`;
      const honest = { ...project(scripts), 'after.cjs': `console.log('the honest script ran');` };
      const { pages, next } = await inTurn('scripts', { ...honest, 'after.cjs': after }, honest);
      expect(pages[1]).toEqual(unchanged);
      const restored = 'Restored the downloads from an earlier build with the same lock file.';
      expect(next.lines).toEqual(expect.arrayContaining([restored, '$ npm ci', 'the honest script ran']));
    },
    MINUTES,
  );

  it(
    'archives from a poisoned Yarn cache do not reach later builds, even if checksums are turned off',
    async () => {
      const patch = `const fs = require('node:fs'), { crc32 } = require('node:zlib');
const cache = process.env.HOME + '/.yarn/berry/cache/';
const replace = (bytes, from, to) => { for (let at; (at = bytes.indexOf(from)) !== -1; ) to.copy(bytes, at); };
for (const name of fs.readdirSync(cache).filter((each) => each.startsWith('ms-npm-'))) {
  const zip = fs.readFileSync(cache + name);
  const at = zip.indexOf('/**\\n * Helpers') >= 0 ? zip.indexOf('/**\\n * Helpers') : zip.indexOf('var s = 1000');
  const end = zip.indexOf('PK\\x03\\x04', at) >= 0 ? zip.indexOf('PK\\x03\\x04', at) : zip.indexOf('PK\\x01\\x02', at);
  const crc = (bytes) => { const four = Buffer.alloc(4); four.writeUInt32LE(crc32(bytes)); return four; };
  const before = crc(zip.subarray(at, end));
  zip.write('h * 99', zip.indexOf('h * 24', at));
  replace(zip, before, crc(zip.subarray(at, end)));
  fs.writeFileSync(cache + name, zip);
}`;
      const honest = {
        ...locked.yarn4,
        'package.json': JSON.stringify({
          ...JSON.parse(locked.yarn4['package.json']),
          scripts: { build: 'node make.cjs', postinstall: 'node after.cjs' },
        }),
        '.yarnrc.yml': 'checksumBehavior: ignore\n',
        'after.cjs': '',
      } satisfies Tree;
      const { pages } = await inTurn('store', { ...honest, 'after.cjs': patch }, honest);
      expect(pages[1]).toContain('172800000');
    },
    MINUTES,
  );
});
