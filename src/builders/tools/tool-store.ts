import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../kernel/concurrency/keyed-mutex.js';
import { alreadyGone, leftToCleaning } from '../../kernel/faults/ignored-fault.js';
import type { BuildTool, ToolDescriptor } from '../../kernel/ports/outside/builder.js';
import { commandsOf, folderOf, packageOf, packageUrl } from './package-managers.js';

/** Installs into an empty folder that nothing else uses, by a command in a sandbox; true where it ended well. */
type Install = (
  packageSpec: string,
  signal: AbortSignal,
) => Promise<{ readonly folder: string; readonly remove: () => Promise<void> } | null>;

/** A project may name any version there is: more than so many are not kept. */
const MOST = 40;
/** What was asked for within this time may be in use: it is not removed. */
const IN_USE_MS = 2 * 3_600_000;

/** What npm writes down of what it has installed. */
type Installed = { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> };

/**
 * Package managers and Nodes of exact versions, each fetched once, by a sandbox that has seen nothing of any project,
 * so that no build can change what another one runs. Builds see them and cannot write to them. Those that were
 * not asked for longest go first when there are many.
 */
export class ToolStore {
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly folder: string,
    private readonly install: Install,
  ) {}

  /** False where the registry does not have it or cannot be reached, or where there is room for no more. */
  async provide(tool: BuildTool, signal: AbortSignal): Promise<boolean> {
    const name = folderOf(tool);
    return this.#mutex.run(name, async () => {
      const commands = join(this.folder, name, commandsOf(tool, process.arch));
      const now = new Date();
      if (await stat(commands).catch(alreadyGone)) {
        await utimes(join(this.folder, name), now, now).catch(alreadyGone);
        return true;
      }
      if (!(await this.#hasRoom())) return false;
      const made = await this.install(`${packageOf(tool, process.arch)}@${tool.version}`, signal);
      if (!made) return false;
      try {
        await mkdir(this.folder, { recursive: true });
        // Another process may have been quicker, and builds may be running with what it has fetched.
        if (await stat(commands).catch(alreadyGone)) return true;
        await rm(join(this.folder, name), { recursive: true, force: true });
        await rename(made.folder, join(this.folder, name));
      } finally {
        await made.remove();
      }
      return (await stat(commands).catch(alreadyGone)) !== undefined;
    });
  }

  async #hasRoom(): Promise<boolean> {
    const tools = (await readdir(this.folder)).filter((name) => name.includes('@'));
    if (tools.length < MOST) return true;
    const usedAt = await Promise.all(
      tools.map(async (name) => ({ name, at: (await stat(join(this.folder, name)).catch(alreadyGone))?.mtimeMs ?? 0 })),
    );
    const [oldest] = usedAt.sort((one, other) => one.at - other.at);
    if (!oldest || Date.now() - oldest.at < IN_USE_MS) return false;
    await rm(join(this.folder, oldest.name), { recursive: true, force: true }).catch(leftToCleaning);
    return true;
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
