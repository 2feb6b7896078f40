import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../kernel/concurrency/keyed-mutex.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { BuildTool } from '../../kernel/ports/builder.js';
import { commandsOf, folderOf, packageOf } from './package-managers.js';

/** Installs into an empty folder that nobody else uses, by a command in a sandbox; true where it ended well. */
type Install = (
  packageSpec: string,
  signal: AbortSignal,
) => Promise<{ readonly folder: string; readonly remove: () => Promise<void> } | null>;

/**
 * Package managers and Nodes of exact versions, each fetched once, by a sandbox that has seen nothing of anybody’s
 * project, so that no build can change what another one runs. Builds see them and cannot write to them.
 */
export class ToolStore {
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly folder: string,
    private readonly install: Install,
  ) {}

  /** False where the registry does not have it, or cannot be reached. */
  async provide(tool: BuildTool, signal: AbortSignal): Promise<boolean> {
    const name = folderOf(tool);
    return this.#mutex.run(name, async () => {
      const commands = join(this.folder, name, commandsOf(tool, process.arch));
      if (await stat(commands).catch(alreadyGone)) return true;
      const made = await this.install(`${packageOf(tool, process.arch)}@${tool.version}`, signal);
      if (!made) return false;
      try {
        await mkdir(this.folder, { recursive: true });
        await rm(join(this.folder, name), { recursive: true, force: true });
        await rename(made.folder, join(this.folder, name));
      } finally {
        await made.remove();
      }
      return (await stat(commands).catch(alreadyGone)) !== undefined;
    });
  }
}
