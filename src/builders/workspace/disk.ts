import { mkdir, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildLimits, Exceeded } from '../../kernel/ports/builder.js';
import { mebibytes } from '../limits/control-groups.js';
import { succeeds } from './program.js';
import { usageOf } from './usage.js';

/** Who owns what a build writes. */
export type Owner = { readonly uid: number; readonly gid: number };

/** The room that a build may write to. */
export type Disk = {
  readonly folder: string;
  /** The limit that was met; null where none was. */
  exceeded(): Promise<Exceeded | null>;
  /** Nothing is left of it. */
  remove(): Promise<void>;
};

/** Less than so much room is none. Bytes. */
const NO_ROOM = 65_536;

/**
 * Room of a fixed size: a file system in a file, where this process may mount one, so that the kernel refuses what is
 * too much; else a plain folder, which is measured from time to time.
 */
export async function makeDisk(place: string, limits: BuildLimits, owner: Owner | null): Promise<Disk> {
  const plain = await makePlainDisk(place, limits);
  const { folder } = plain;
  const isMounted = owner !== null && (await mounted(join(place, 'disk.img'), folder, limits, owner));
  return isMounted ? new MountedDisk(place, folder, limits) : plain;
}

/** A plain folder, whose content can be moved to another place by its name. */
export async function makePlainDisk(place: string, limits: BuildLimits): Promise<Disk> {
  await mkdir(place, { recursive: true, mode: 0o711 });
  const folder = join(place, 'disk');
  await mkdir(folder);
  return new PlainDisk(place, folder, limits);
}

/** Unmounts and removes what processes that were killed have left under a folder. */
export async function sweepDisks(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await removeDisk(join(folder, name));
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

async function removeDisk(place: string): Promise<void> {
  const folder = join(place, 'disk');
  // Where something still has it open it goes when that ends.
  if (!(await succeeds('umount', [folder]))) await succeeds('umount', ['--lazy', folder]);
  await rm(place, { recursive: true, force: true });
}

class MountedDisk implements Disk {
  constructor(
    private readonly place: string,
    readonly folder: string,
    private readonly limits: BuildLimits,
  ) {}

  async exceeded(): Promise<Exceeded | null> {
    const { bavail, bsize, ffree } = await statfs(this.folder);
    if (ffree === 0) return { what: 'files', limit: String(this.limits.diskFiles) };
    return bavail * bsize < NO_ROOM ? { what: 'disk', limit: mebibytes(this.limits.diskBytes) } : null;
  }

  remove(): Promise<void> {
    return removeDisk(this.place);
  }
}

class PlainDisk implements Disk {
  constructor(
    private readonly place: string,
    readonly folder: string,
    private readonly limits: BuildLimits,
  ) {}

  async exceeded(): Promise<Exceeded | null> {
    const { bytes, files } = await usageOf(this.folder);
    if (files > this.limits.diskFiles) return { what: 'files', limit: String(this.limits.diskFiles) };
    return bytes > this.limits.diskBytes ? { what: 'disk', limit: mebibytes(this.limits.diskBytes) } : null;
  }

  async remove(): Promise<void> {
    await rm(this.place, { recursive: true, force: true });
  }
}
