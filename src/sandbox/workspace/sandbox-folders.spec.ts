import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SandboxFolders } from './sandbox-folders.js';

describe('SandboxFolders', () => {
  let parent: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'stele-rooms-'));
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  const swept = async (sandboxes: SandboxFolders) => {
    const names: string[] = [];
    await sandboxes.sweep(async (path) => void names.push(basename(path)));
    return names.sort();
  };

  it('sandbox folders work even if their path is too long for a Unix socket', async () => {
    const deep = join(parent, 'd'.repeat(150));
    const one = await SandboxFolders.open(deep);
    await mkdir(join(one.folder, 'a'));
    expect(await swept(await SandboxFolders.open(deep))).toEqual([]);

    await rm(`${one.folder}.sock`);
    expect(await swept(await SandboxFolders.open(deep))).toEqual(['a']);
  });

  it('the sandbox folders of a process are removed after the process has ended, but not before', async () => {
    const one = await SandboxFolders.open(parent);
    const other = await SandboxFolders.open(parent);
    await mkdir(join(one.folder, 'a'));
    await mkdir(join(one.folder, 'b'));
    expect(await swept(other)).toEqual([]);

    // A killed process leaves behind a socket that no process listens on.
    await rm(`${one.folder}.sock`);
    await writeFile(`${one.folder}.sock`, '');
    expect(await swept(other)).toEqual(['a', 'b']);
    expect((await readdir(parent)).sort()).toEqual([basename(other.folder), `${basename(other.folder)}.sock`]);
    expect(await swept(other)).toEqual([]);
  });
});
