import { statfs } from 'node:fs/promises';
import { ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import type { WatchedLimit } from '../limits/within-limits.js';

/**
 * Measures how much space a build uses on the disk that holds the engine’s images, because engines do not limit that
 * space. Includes writes by other processes.
 */
export class EngineDisk implements WatchedLimit {
  readonly isHeld = false;

  private constructor(
    private readonly folder: string,
    private readonly freeBefore: number,
    private readonly mostBytes: number,
  ) {}

  /** Starts a measurement. Returns null if the engine’s folder is not on this machine. */
  static async measure(folder: string, mostBytes: number): Promise<EngineDisk | null> {
    const free = await freeIn(folder).catch(ignoreFault);
    return free === undefined ? null : new EngineDisk(folder, free, mostBytes);
  }

  async exceeded(): Promise<Exceeded | null> {
    const used = this.freeBefore - (await freeIn(this.folder));
    return used > this.mostBytes ? { what: 'disk', limit: formatBytes(this.mostBytes) } : null;
  }
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
