import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SPOOL_PREFIX } from './spool-file.js';

/** The subfolder of the data folder for received bytes that cannot be passed on yet. */
export class SpoolFolder {
  constructor(readonly path: string) {}

  /** Removes named files that a killed process left behind. */
  async start(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const leftovers = (await readdir(this.path)).filter((name) => name.startsWith(SPOOL_PREFIX));
    await Promise.all(leftovers.map((name) => rm(join(this.path, name), { force: true })));
  }
}
