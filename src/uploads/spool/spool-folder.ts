import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRATCH } from './spool-file.js';

/** Where bytes wait that have arrived and cannot be passed on yet: a folder in the data folder, and nowhere else. */
export class ScratchFolder {
  constructor(
    /** Absolute. */
    readonly path: string,
  ) {}

  /** Makes it, and removes what a process left behind that was killed while a file still had its name. */
  async start(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const left = (await readdir(this.path)).filter((name) => name.startsWith(SCRATCH));
    await Promise.all(left.map((name) => rm(join(this.path, name), { force: true })));
  }
}
