import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

describe('nest build', () => {
  let folder: string;

  beforeAll(async () => {
    // The folder must be inside the checkout, because Nest resolves the path of a tsconfig relative to it.
    folder = await mkdtemp(join('node_modules', '.cache', 'nest-build-'));
    const config = { extends: resolve('tsconfig.json'), compilerOptions: { outDir: resolve(folder, 'dist') } };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('`nest build` compiles all of src with SWC, including the entry file and the scripts of pages', async () => {
    await run('node_modules/.bin/nest', ['build', '--path', join(folder, 'tsconfig.json')]);
    for (const file of ['start.js', 'main.js', 'edge/browser/markup.js', 'start.js.map'])
      expect([file, existsSync(join(folder, 'dist', file))]).toEqual([file, true]);
    expect(existsSync(join(folder, 'dist', 'settings.spec.js'))).toBe(false);
  }, 60_000);
});
