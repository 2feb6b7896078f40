import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alreadyGone, leftToCleaning } from '../../kernel/faults/ignored-fault.js';

/** Processes that share a folder for builds. */
export type BuildProcesses = {
  /** Name of this process among them. */
  readonly name: string;
  readonly isAlive: (name: string) => Promise<boolean>;
};

const BESIDE_NAME = '~';

/**
 * Tracks the tools used by running builds of all processes with the same folder: a file for each use, in a folder for
 * each process. Uses end with their process.
 */
export class ToolUses {
  readonly #own: string;

  constructor(
    private readonly folder: string,
    private readonly processes: BuildProcesses,
  ) {
    this.#own = join(folder, processes.name);
  }

  /** Marks a tool as used, until the returned function is called. */
  async begin(tool: string): Promise<() => Promise<void>> {
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    const file = join(this.#own, `${tool}${BESIDE_NAME}${randomBytes(8).toString('hex')}`);
    await writeFile(file, '');
    return () => rm(file, { force: true }).catch(leftToCleaning);
  }

  /** Returns the tools in use. Removes uses of processes that have ended. */
  async list(): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (const name of (await readdir(this.folder).catch(alreadyGone)) ?? []) {
      if (name !== this.processes.name && !(await this.processes.isAlive(name))) {
        await rm(join(this.folder, name), { recursive: true, force: true }).catch(leftToCleaning);
        continue;
      }
      const files = (await readdir(join(this.folder, name)).catch(alreadyGone)) ?? [];
      for (const file of files) used.add(file.slice(0, file.lastIndexOf(BESIDE_NAME)));
    }
    return used;
  }
}
