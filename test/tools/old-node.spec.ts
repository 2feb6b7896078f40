import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const run = promisify(execFile);

/** Makes this Node report an older version, and fail to link a program that imports node:crypto, as that version would. */
const OLD_NODE = `
import { registerHooks } from 'node:module';
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:crypto') throw new SyntaxError('node:crypto has no export named argon2');
    return next(specifier, context);
  },
});
`;

const started = [
  'dist/main.js',
  'dist/start.js',
  'dist/bundled/main.js',
  'dist/bundled/start.js',
  ...readdirSync('dist/bundled')
    // Names with a digit are chunks, which the bundler has split off.
    .filter((name) => /^[a-z-]+\.command\.js$/.test(name))
    .map((name) => `dist/bundled/${name}`),
];

it.each(started)(
  'node %s names the required version of Node if this one is too old',
  async (file) => {
    const preload = `data:text/javascript,${encodeURIComponent(OLD_NODE)}`;
    const { code, stderr } = await run(process.execPath, ['--import', preload, file], {
      env: { ...process.env, NODE_OPTIONS: '', STELE_DATA: '/nonexistent' },
      timeout: 60_000,
    }).catch((error) => error);
    expect(stderr).toMatch(/^Stele requires Node 24 or later, but this is Node 20\.20\.2\. .*\n$/);
    expect(code).toBe(1);
  },
  60_000,
);
