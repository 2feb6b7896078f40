import { statfs } from 'node:fs/promises';
import { ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { StorageFullError } from '../../kernel/faults/storage-full.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import { DiskSpace } from '../../kernel/ports/outside/disk-space.js';

const LEAST = 2 ** 30;
const SHARE = 0.05;

/** Time for which a measurement is reused. In this time, writing at 1 GB/s cannot fill a reserve of 1 GiB. */
const MEASURED_FOR_MS = 500;

/** Free space and size of a file system, in bytes. */
export type FileSystemSpace = { readonly free: number; readonly size: number };

export class DiskReserve extends DiskSpace {
  #measuredAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | null = null;
  #isShort = false;

  /** `reserve` is in bytes. Null means 1 GiB or 5 % of the file system, whichever is larger. */
  constructor(
    private readonly folder: string,
    private readonly reserve: number | null,
    private readonly warn: (line: string) => void,
    private readonly measure: (folder: string) => Promise<FileSystemSpace> = spaceOf,
  ) {
    super();
  }

  override async assertRoom(): Promise<void> {
    if (this.reserve === 0) return;
    if (performance.now() - this.#measuredAt > MEASURED_FOR_MS) {
      this.#measuring ??= this.#look().finally(() => {
        this.#measuring = null;
      });
      await this.#measuring;
    }
    if (this.#isShort) throw new StorageFullError('The disk has less free space than STELE_DISK_RESERVE.');
  }

  async #look(): Promise<void> {
    // If the space cannot be measured, a full disk is noticed only when a write fails.
    const space = await this.measure(this.folder).catch(ignoreFault);
    this.#measuredAt = performance.now();
    if (space === undefined) return;
    const reserve = this.reserve ?? Math.max(LEAST, space.size * SHARE);
    const isShort = space.free < reserve;
    if (isShort !== this.#isShort) this.warn(report(isShort, space.free, reserve, this.folder));
    this.#isShort = isShort;
  }
}

function report(isShort: boolean, free: number, reserve: number, folder: string): string {
  if (!isShort)
    return `Deploys, uploads and builds are accepted again: ${folder} has ${formatBytes(free)} of free space.`;
  return `Deploys, uploads and builds are refused: ${folder} has ${formatBytes(free)} of free space, and STELE_DISK_RESERVE is ${formatBytes(reserve)}.`;
}

async function spaceOf(folder: string): Promise<FileSystemSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}
