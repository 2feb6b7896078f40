import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isRoot } from '../isolated/owner.js';
import { makeDisk, makePlainDisk, removeDisk } from './disk.js';

const MIB = 1_048_576;
const limits = { memoryBytes: MIB, processes: 1, diskBytes: 8 * MIB, diskFiles: 64 };
const owner = { uid: 64_200, gid: 64_200 };

let parent: string;
let place: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'stele-disk-'));
  place = join(parent, 'rooms/one');
});
afterEach(async () => {
  // Removes the disk if the test failed before removing it.
  await removeDisk(place);
  await rm(parent, { recursive: true, force: true });
});

const mounts = async () =>
  (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.includes(parent));

/** Writes files. Returns the code of the first error, or null if all files were written. */
async function fill(folder: string, times: number, bytes: number): Promise<string | null> {
  try {
    for (let n = 0; n < times; n++) await writeFile(join(folder, String(n)), Buffer.alloc(bytes, 1));
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

describe('A disk in a plain folder', () => {
  it('a disk is empty at first, and can be filled up to its limits', async () => {
    const disk = await makeDisk(place, limits, null);
    expect(disk.isHeld).toBe(false);
    expect(await readdir(disk.folder)).toEqual([]);
    expect(await fill(disk.folder, 6, MIB)).toBeNull();
    expect(await disk.exceeded()).toBeNull();
  });

  it.each([
    ['bytes', 9, MIB, { what: 'disk', limit: '8 MiB' }],
    ['files', 70, 0, { what: 'files', limit: '64' }],
  ] as const)('a disk reports that it has too many %s, even in nested folders', async (_, times, bytes, exceeded) => {
    const disk = await makeDisk(place, limits, null);
    await mkdir(join(disk.folder, 'a/b/c'), { recursive: true });
    expect(await fill(join(disk.folder, 'a/b/c'), times, bytes)).toBeNull();
    expect(await disk.exceeded()).toEqual(exceeded);
  });

  it('a sparse file counts by its allocated blocks, not by its length', async () => {
    const disk = await makeDisk(place, limits, null);
    const file = await open(join(disk.folder, 'sparse'), 'w');
    await file.truncate(2 ** 40);
    await file.close();
    expect(await disk.exceeded()).toBeNull();
  });

  it('the usage of a disk is measured even if a build removes permissions to hide files', async () => {
    const disk = await makeDisk(place, limits, null);
    const shut = join(disk.folder, 'shut');
    await mkdir(join(shut, 'deep'), { recursive: true });
    expect(await fill(join(shut, 'deep'), 70, 0)).toBeNull();
    // With mode 0300, a folder allows files to be created, but not listed.
    for (const folder of [join(shut, 'deep'), shut]) await chmod(folder, 0o300);
    expect(await disk.exceeded()).toEqual({ what: 'files', limit: '64' });
  });

  it('a disk that will be moved is a plain folder, not a mounted file system', async () => {
    const disk = await makePlainDisk(place, limits);
    expect(disk.isHeld).toBe(false);
    expect(await mounts()).toEqual([]);
  });

  it('a disk is removed completely, including folders without permissions', async () => {
    const disk = await makeDisk(place, limits, null);
    await mkdir(join(disk.folder, 'closed/deep'), { recursive: true });
    await writeFile(join(disk.folder, 'closed/deep/file'), 'x', { mode: 0o000 });
    await chmod(join(disk.folder, 'closed/deep'), 0o500);
    await chmod(join(disk.folder, 'closed'), 0o000);
    await disk.remove();
    expect(await readdir(join(parent, 'rooms'))).toEqual([]);
    await disk.remove();
  });

  it('a disk is removed even if another process created it', async () => {
    await makeDisk(place, limits, null);
    await removeDisk(place);
    expect(await readdir(join(parent, 'rooms'))).toEqual([]);
  });
});

/** A container may run as root without loop devices or the right to mount. */
const whereMounted = isRoot() && canMount() ? it : it.skip;

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', 'losetup --find && mount -t tmpfs none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('A disk with its own file system', () => {
  whereMounted('belongs to the user of the build and is mounted without setuid files and devices', async () => {
    const disk = await makeDisk(place, limits, owner);
    const { uid, gid } = await stat(disk.folder);
    expect({ uid, gid, isHeld: disk.isHeld }).toEqual({ ...owner, isHeld: true });
    expect(await mounts()).toEqual([expect.stringMatching(/ ext4 rw,nosuid,nodev,/)]);
    await disk.remove();
  });

  whereMounted.each([
    ['bytes', 9, MIB, { what: 'disk', limit: '8 MiB' }],
    ['files', 70, 0, { what: 'files', limit: '64' }],
  ] as const)('refuses %s beyond its limit and reports the limit', async (_, times, bytes, exceeded) => {
    const disk = await makeDisk(place, limits, owner);
    expect(await disk.exceeded()).toBeNull();
    expect(await fill(disk.folder, times, bytes)).toBe('ENOSPC');
    expect(await disk.exceeded()).toEqual(exceeded);
    await disk.remove();
  });

  whereMounted('is removed completely, even if a file is open or another process created it', async () => {
    const disk = await makeDisk(place, limits, owner);
    const held = await open(join(disk.folder, 'held'), 'w');
    await removeDisk(place);
    expect(await mounts()).toEqual([]);
    expect(await readdir(join(parent, 'rooms'))).toEqual([]);
    await held.close();
    await disk.remove();
  });
});
