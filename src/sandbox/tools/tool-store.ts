import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../kernel/concurrency/keyed-mutex.js';
import { alreadyGone, leftToCleaning } from '../../kernel/faults/ignored-fault.js';
import type { BuildTool, ProvidedTool, ToolDescriptor, ToolMissing } from '../../kernel/ports/outside/builder.js';
import { removeWritten } from '../workspace/remove-written.js';
import { measureUsage } from '../workspace/usage.js';
import { choosePackage, formatToolFolder, locateCommands, packageUrl } from './package-managers.js';

type BuildProcesses = {
  /** Name of this process, unique among the processes that share the folder. */
  readonly name: string;
  readonly isAlive: (name: string) => Promise<boolean>;
};

const BESIDE_NAME = '~';

/**
 * Records which tools running builds use, for all processes that share the folder. Each process has a subfolder with
 * one file per use of a tool, so that all its uses end when the process ends.
 */
class ToolUses {
  readonly #own: string;

  constructor(
    private readonly folder: string,
    private readonly processes: BuildProcesses,
  ) {
    this.#own = join(folder, processes.name);
  }

  /** Marks a tool as used until the returned function is called. */
  async begin(tool: string): Promise<() => Promise<void>> {
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    const file = join(this.#own, `${tool}${BESIDE_NAME}${randomBytes(8).toString('hex')}`);
    await writeFile(file, '');
    return () => rm(file, { force: true }).catch(leftToCleaning);
  }

  /** Returns the tools in use, except for those used only by processes that have ended. */
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

type StoreLimits = {
  /** Maximum total size of all tools. */
  readonly inAll: number;
  /** Maximum total size of the tools that builds of one owner have downloaded. */
  readonly ofOwner: number;
};

type StoredTool = {
  readonly name: string;
  /** Owner of the build that downloaded the tool, or null if an earlier version of the service downloaded it. */
  readonly owner: string | null;
  readonly bytes: number;
  /** Time of the last use, in milliseconds since 1970. */
  readonly usedAt: number;
};

/**
 * Chooses tools to remove, least recently used first, to make room for a new tool. While the owner would exceed the
 * limit per owner, chooses the owner’s own tools. While all tools would exceed the total limit, chooses tools of the
 * owner with the largest total. Tools in use are not removed.
 */
function chooseEvicted(
  stored: readonly StoredTool[],
  inUse: ReadonlySet<string>,
  { owner, bytes }: Pick<StoredTool, 'owner' | 'bytes'>,
  { inAll, ofOwner }: StoreLimits,
): readonly StoredTool[] | Extract<ToolMissing, 'owner_full' | 'full'> {
  const kept = new Set(stored);
  const taken = (of?: string | null) =>
    [...kept].reduce((sum, tool) => sum + (of === undefined || tool.owner === of ? tool.bytes : 0), 0) +
    (of === undefined || of === owner ? bytes : 0);
  const removable = stored.filter(({ name }) => !inUse.has(name)).sort((one, other) => one.usedAt - other.usedAt);
  const next = (of: string | null) => removable.find((tool) => kept.has(tool) && tool.owner === of);

  while (taken(owner) > ofOwner) {
    const own = next(owner);
    if (!own) return 'owner_full';
    kept.delete(own);
  }
  while (taken() > inAll) {
    const owners = new Set(removable.filter((tool) => kept.has(tool)).map((tool) => tool.owner));
    const [largest] = [...owners].sort((one, other) => taken(other) - taken(one));
    const tool = largest === undefined ? undefined : next(largest);
    if (!tool) return 'full';
    kept.delete(tool);
  }
  return stored.filter((tool) => !kept.has(tool));
}

/** Installs a package into an empty folder in a sandbox. Resolves to null on failure. */
type Install = (
  packageSpec: string,
  signal: AbortSignal,
) => Promise<{ readonly folder: string; readonly remove: () => Promise<void> } | null>;

const GIBIBYTE = 1_073_741_824;
const LIMITS: StoreLimits = { inAll: 8 * GIBIBYTE, ofOwner: 2 * GIBIBYTE };

/** Folders of the tools and of their records, on one file system. Builds cannot see the folder of the records. */
export type StoreFolders = { readonly tools: string; readonly state: string };

type ToolRecord = Pick<StoredTool, 'owner' | 'bytes'>;

/** The lock file in which npm records installed packages. */
type Installed = { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> };

/**
 * Stores exact versions of package managers and Node. Each version is fetched once, in a sandbox that contains no
 * project. It is read-only for builds, so that no build can change a tool that another build uses.
 */
export class ToolStore {
  readonly #mutex = new KeyedMutex();
  readonly #uses: ToolUses;
  readonly #records: string;
  readonly #removed: string;

  constructor(
    private readonly folders: StoreFolders,
    private readonly install: Install,
    processes: BuildProcesses,
    private readonly limits: StoreLimits = LIMITS,
  ) {
    this.#uses = new ToolUses(join(folders.state, 'uses'), processes);
    this.#records = join(folders.state, 'records');
    this.#removed = join(folders.state, 'removed');
  }

  /** Opens the store, and removes files that another process left behind. */
  async start(): Promise<void> {
    for (const folder of [this.folders.tools, this.#records, this.#removed]) await mkdir(folder, { recursive: true });
    for (const left of await readdir(this.#removed))
      await removeWritten(join(this.#removed, left)).catch(leftToCleaning);
  }

  /**
   * Fetches a tool unless it is stored, and keeps it from being removed until it is released. `share` identifies the
   * build’s owner.
   */
  async provide(tool: BuildTool, share: string, signal: AbortSignal): Promise<ProvidedTool | ToolMissing> {
    const name = formatToolFolder(tool);
    const release = await this.#uses.begin(name);
    const missing = await this.#mutex
      .run(name, () => this.#fetch(tool, hash('sha256', share).slice(0, 32), signal))
      .catch(async (error: unknown) => {
        await release();
        throw error;
      });
    if (missing === null) return { release };
    await release();
    return missing;
  }

  /** Fetches a tool. Returns null if it is already stored. */
  async #fetch(tool: BuildTool, owner: string, signal: AbortSignal): Promise<ToolMissing | null> {
    const name = formatToolFolder(tool);
    const place = join(this.folders.tools, name);
    const isHere = async () =>
      (await stat(join(place, locateCommands(tool, process.arch))).catch(alreadyGone)) !== undefined;
    if (await isHere()) {
      const now = new Date();
      await utimes(place, now, now).catch(alreadyGone);
      return null;
    }
    const made = await this.install(`${choosePackage(tool, process.arch)}@${tool.version}`, signal);
    if (!made) return 'unavailable';
    try {
      const { bytes } = await measureUsage(made.folder);
      return await this.#mutex.run('', async () => {
        // Another process may have fetched the tool first, and builds may already be using it.
        if (await isHere()) return null;
        const missing = await this.#makeRoom(owner, bytes);
        if (missing !== null) return missing;
        await rm(place, { recursive: true, force: true });
        await this.#record(name, { owner, bytes });
        await rename(made.folder, place);
        return (await isHere()) ? null : 'unavailable';
      });
    } finally {
      await made.remove();
    }
  }

  async #makeRoom(owner: string, bytes: number): Promise<ToolMissing | null> {
    const evicted = chooseEvicted(await this.#stored(), await this.#uses.list(), { owner, bytes }, this.limits);
    if (typeof evicted === 'string') return evicted;
    for (const { name } of evicted) await this.#remove(name);
    return null;
  }

  /** Removes a tool, but restores it if another process has begun to use it. */
  async #remove(name: string): Promise<void> {
    const place = join(this.folders.tools, name);
    const removed = join(this.#removed, `${name}-${randomBytes(8).toString('hex')}`);
    await rename(place, removed).catch(alreadyGone);
    if ((await this.#uses.list()).has(name)) return void (await rename(removed, place).catch(leftToCleaning));
    await rm(join(this.#records, name), { force: true });
    await removeWritten(removed).catch(leftToCleaning);
  }

  async #stored(): Promise<readonly StoredTool[]> {
    const names = (await readdir(this.folders.tools)).filter((name) => name.includes('@'));
    return Promise.all(
      names.map(async (name) => {
        const usedAt = (await stat(join(this.folders.tools, name)).catch(alreadyGone))?.mtimeMs ?? 0;
        return { name, usedAt, ...(await this.#recordOf(name)) };
      }),
    );
  }

  async #recordOf(name: string): Promise<ToolRecord> {
    const text = await readFile(join(this.#records, name), 'utf8').catch(alreadyGone);
    // The record of a tool is incomplete after a power failure, and missing for a tool that an earlier version fetched.
    const [, known, owner] = /^(\d+) ([0-9a-f]{32})?\n$/.exec(text ?? '') ?? [];
    if (known !== undefined) return { owner: owner ?? null, bytes: Number(known) };
    const { bytes } = await measureUsage(join(this.folders.tools, name));
    await this.#record(name, { owner: null, bytes });
    return { owner: null, bytes };
  }

  #record(name: string, { owner, bytes }: ToolRecord): Promise<void> {
    return writeFile(join(this.#records, name), `${bytes} ${owner ?? ''}\n`, { mode: 0o600 });
  }

  /** Describes a tool, including the digest that npm has verified. */
  async describe(tool: BuildTool): Promise<ToolDescriptor> {
    const { name } = tool;
    const path = join(this.folders.tools, formatToolFolder(tool), 'node_modules/.package-lock.json');
    const written = await readFile(path, 'utf8').catch(alreadyGone);
    const { packages }: Installed = written === undefined ? { packages: {} } : JSON.parse(written);
    const integrity = packages[`node_modules/${choosePackage(tool, process.arch)}`]?.integrity ?? '';
    const sha512 = Buffer.from(/^sha512-(\S+)$/.exec(integrity)?.[1] ?? '', 'base64').toString('hex');
    return { name, uri: packageUrl(tool, process.arch), digest: sha512 === '' ? null : { sha512 } };
  }
}
