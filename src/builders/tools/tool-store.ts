import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../kernel/concurrency/keyed-mutex.js';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { BuildTool, ToolDescriptor } from '../../kernel/ports/builder.js';
import { commandsOf, folderOf, packageOf, packageUrl } from './package-managers.js';

/** Installs into an empty folder that nobody else uses, by a command in a sandbox; true where it ended well. */
type Install = (
  packageSpec: string,
  signal: AbortSignal,
) => Promise<{ readonly folder: string; readonly remove: () => Promise<void> } | null>;

/** What npm writes down of what it has installed. */
type Installed = { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> };

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

  /** A tool that was provided, by the digest that npm has checked its package with. */
  async describe(tool: BuildTool): Promise<ToolDescriptor> {
    const { name } = tool;
    const path = join(this.folder, folderOf(tool), 'node_modules/.package-lock.json');
    const written = await readFile(path, 'utf8').catch(alreadyGone);
    const { packages }: Installed = written === undefined ? { packages: {} } : JSON.parse(written);
    const integrity = packages[`node_modules/${packageOf(tool, process.arch)}`]?.integrity ?? '';
    const sha512 = Buffer.from(/^sha512-(\S+)$/.exec(integrity)?.[1] ?? '', 'base64').toString('hex');
    return { name, uri: packageUrl(tool, process.arch), digest: sha512 === '' ? null : { sha512 } };
  }
}
