import { mkdir, open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';
import type { WatchedLimit } from '../limits/within-limits.js';
import type { Owner } from './owners.js';
import { succeeds } from './program.js';
import { removeWritten } from './remove-written.js';
import { measureUsage } from './usage.js';

export type Disk = WatchedLimit & {
  readonly folder: string;
  remove(): Promise<void>;
};

/**
 * A disk counts as full if less than this share of it is free or, on a large disk, less than NO_ROOM_BYTES. A full disk
 * can still have free space, because the kernel reserves some, and large writes fail before small ones.
 */
const NO_ROOM = 1 / 32;
const NO_ROOM_BYTES = 16_777_216;

/**
 * Creates a disk of a fixed size. If this process can mount file systems, the disk is a file system in a file, and the
 * kernel enforces the limits. Otherwise, the disk is a plain folder, and its size is measured at intervals.
 */
export async function makeDisk(place: string, limits: BuildLimits, owner: Owner | null): Promise<Disk> {
  const plain = await makePlainDisk(place, limits);
  const { folder } = plain;
  const isMounted = owner !== null && (await mounted(join(place, 'disk.img'), folder, limits, owner));
  return isMounted ? new MountedDisk(place, folder, limits) : plain;
}

/** Creates a disk that is a plain folder. Unlike a mounted disk, its content can be moved elsewhere by renaming it. */
export async function makePlainDisk(place: string, limits: BuildLimits): Promise<Disk> {
  await mkdir(place, { recursive: true, mode: 0o711 });
  const folder = join(place, 'disk');
  await mkdir(folder);
  return new PlainDisk(place, folder, limits);
}

async function mounted(image: string, folder: string, limits: BuildLimits, { uid, gid }: Owner): Promise<boolean> {
  const file = await open(image, 'wx', 0o600);
  await file.truncate(limits.diskBytes);
  await file.close();
  const options = `lazy_itable_init=1,nodiscard,root_owner=${uid}:${gid}`;
  const inodes = ['-N', String(limits.diskFiles), '-m', '0', '-O', '^has_journal'];
  return (
    (await succeeds('mkfs.ext4', ['-q', '-F', ...inodes, '-E', options, image])) &&
    (await succeeds('mount', ['-o', 'loop,nosuid,nodev', image, folder]))
  );
}

/** Unmounts and removes a disk, even if another process created it. */
export async function removeDisk(place: string): Promise<void> {
  const folder = join(place, 'disk');
  // If the disk is still in use, a lazy unmount takes effect as soon as it is no longer used.
  if (!(await succeeds('umount', [folder]))) await succeeds('umount', ['--lazy', folder]);
  await removeWritten(place);
}

class MountedDisk implements Disk {
  readonly isHeld = true;

  constructor(
    private readonly place: string,
    readonly folder: string,
    private readonly limits: BuildLimits,
  ) {}

  async exceeded(): Promise<Exceeded | null> {
    const { blocks, bavail, bsize, ffree } = await statfs(this.folder);
    if (ffree === 0) return { what: 'files', limit: formatNumber(this.limits.diskFiles) };
    const isFull = bavail * bsize < Math.min(blocks * bsize * NO_ROOM, NO_ROOM_BYTES);
    return isFull ? { what: 'disk', limit: formatBytes(this.limits.diskBytes) } : null;
  }

  remove(): Promise<void> {
    return removeDisk(this.place);
  }
}

class PlainDisk implements Disk {
  readonly isHeld = false;

  constructor(
    private readonly place: string,
    readonly folder: string,
    private readonly limits: BuildLimits,
  ) {}

  async exceeded(): Promise<Exceeded | null> {
    const { bytes, files } = await measureUsage(this.folder);
    if (files > this.limits.diskFiles) return { what: 'files', limit: formatNumber(this.limits.diskFiles) };
    return bytes > this.limits.diskBytes ? { what: 'disk', limit: formatBytes(this.limits.diskBytes) } : null;
  }

  remove(): Promise<void> {
    return removeWritten(this.place);
  }
}
