import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

describe('The build of the stele command', () => {
  let checkout: string;

  /** Copies what the build reads, without clients/node_modules. */
  beforeAll(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'stele-command-build-'));
    const isSource = (path: string) => !['node_modules', 'dist'].includes(path.split('/').pop() ?? '');
    for (const name of ['clients', 'tsconfig.json'])
      await cp(name, join(checkout, name), { recursive: true, filter: isSource });
    await mkdir(join(checkout, 'node_modules'));
    for (const name of ['rolldown', 'tar'])
      await symlink(resolve('node_modules', name), join(checkout, 'node_modules', name));
  });
  afterAll(() => rm(checkout, { recursive: true, force: true }));

  it('fails without clients/node_modules, names the missing packages and writes no file', async () => {
    const build = run(process.execPath, [join(checkout, 'clients/cli/tools/build.mjs')]);
    const { code, stderr } = await build.catch((error) => error);
    expect(code).toBe(1);
    expect(stderr).toContain("Could not resolve 'stele-api/client' in src/");
    expect(stderr).toContain('Run `npm ci` in the folder clients to install the missing packages.');
    expect(existsSync(join(checkout, 'clients/cli/dist'))).toBe(false);
  });
});
