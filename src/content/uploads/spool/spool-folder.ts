import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SPOOL_PREFIX } from './spool-file.js';

/** The folder for bytes that have arrived and cannot be passed on yet, inside the data folder. */
export class SpoolFolder {
  constructor(
    /** Absolute. */
    readonly path: string,
  ) {}

  /** Creates the folder, and removes files that a killed process left while they still had a name. */
  async start(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const leftovers = (await readdir(this.path)).filter((name) => name.startsWith(SPOOL_PREFIX));
    await Promise.all(leftovers.map((name) => rm(join(this.path, name), { force: true })));
  }
}
