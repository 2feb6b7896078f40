import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostLookup } from '../adapters/network/public-address.js';
import { unlessAborted } from '../kernel/concurrency/or-aborted.js';
import {
  Builder,
  type BuildLimits,
  type BuildTool,
  type ProvidedTool,
  type Sandbox,
  type ToolDescriptor,
  type ToolMissing,
} from '../kernel/ports/outside/builder.js';
import { refuse } from '../kernel/refusal.js';
import { DependencyCache } from './cache/dependency-cache.js';
import type { Hosts } from './egress/hosts.js';
import { openSandbox, type SandboxCreation } from './isolated/open-sandbox.js';
import { isRoot } from './isolated/owner.js';
import { LIMITS_OF_PROBE, probe } from './isolated/probe.js';
import type { Isolation } from './isolation.js';
import { copyMachine } from './tools/machine.js';
import { ToolStore } from './tools/tool-store.js';
import { makePlainDisk, removeDisk } from './workspace/disk.js';
import { OwnerPool } from './workspace/owners.js';
import { reachablePlace } from './workspace/place.js';
import { SandboxFolders } from './workspace/sandbox-folders.js';

/** Script that is placed in the tool store together with copies of this machine’s programs. */
export const INSIDE_FILE = fileURLToPath(new URL('inside/inside.js', import.meta.url));

const LIMITS_OF_TOOLS: BuildLimits = {
  memoryBytes: 1_073_741_824,
  processes: 1_024,
  diskBytes: 1_073_741_824,
  diskFiles: 100_000,
};

export type SandboxOptions = {
  readonly folder: string;
  readonly hosts: Hosts;
  readonly lookup: HostLookup;
  /** Script that runs inside the sandbox before a command. */
  readonly insideFile?: string;
};

type Ready = { readonly isolation: Isolation; readonly making: SandboxCreation; readonly tools: ToolStore };

/** Builds in sandboxes of the first engine that passes a test run on this machine. */
export class SandboxBuilder extends Builder {
  #missing: string | null = 'The builder is still starting. Try again shortly.';
  #starting: Promise<unknown> = Promise.resolve();
  #ready: Ready | null = null;

  constructor(
    private readonly engines: readonly [Isolation, ...Isolation[]],
    private readonly options: SandboxOptions,
  ) {
    super();
  }

  override get engine() {
    return (this.#ready?.isolation ?? this.engines[0]).engine;
  }

  override get missing() {
    return this.#missing;
  }

  override async tried(): Promise<string | null> {
    await this.#starting;
    return this.#missing;
  }

  /**
   * Removes sandboxes that killed processes left behind, and tests each isolation engine. Ends early if `signal` is
   * aborted. Never rejects.
   */
  start(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<unknown> {
    this.#starting = this.#start(env, signal).catch((error) => {
      if (signal.aborted) return;
      this.#missing = `Could not test whether builds work: ${error instanceof Error ? error.message : error}`;
    });
    return this.#starting;
  }

  /** Resolves when the sandbox of the test has been removed. Must be called after the signal has aborted. */
  async stopped(): Promise<void> {
    await this.#starting;
  }

  async #start(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
    const { hosts, lookup, insideFile = INSIDE_FILE } = this.options;
    const folder = isRoot() ? await reachablePlace(this.options.folder) : this.options.folder;
    await mkdir(join(folder, 'tools'), { recursive: true, mode: 0o755 });
    const reasons: string[] = [];
    const startable: Isolation[] = [];
    for (const isolation of this.engines) {
      const missing = await unlessAborted(isolation.start(folder), signal).catch(unexpected);
      signal.throwIfAborted();
      if (missing === null) startable.push(isolation);
      else reasons.push(missing);
    }
    const sandboxes = await SandboxFolders.open(join(folder, 'rooms'));
    await sandboxes.sweep(async (path) => {
      signal.throwIfAborted();
      for (const isolation of startable) await isolation.clear(basename(path));
      await removeDisk(path);
    });
    const machine = await copyMachine(join(folder, 'tools'), insideFile, env);
    if (!machine) {
      this.#missing = 'Building repositories requires npm.';
      return;
    }
    const cache = new DependencyCache(join(folder, 'caches'));
    await cache.start((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
    const making = { folder, hosts, lookup, machine, cache, sandboxes: sandboxes.folder, owners: new OwnerPool() };
    for (const isolation of startable) {
      const missing = await tryOut(making, isolation, signal).catch(unexpected);
      signal.throwIfAborted();
      if (missing === null) {
        const install = (spec: string, signal: AbortSignal) => installTool(making, isolation, spec, signal);
        const folders = { tools: join(folder, 'tools'), state: join(folder, 'tool-state') };
        const tools = new ToolStore(folders, install, sandboxes);
        await tools.start();
        this.#ready = { isolation, making, tools };
        this.#missing = null;
        return;
      }
      reasons.push(missing);
    }
    this.#missing = reasons.join(' ');
  }

  override async provide(tool: BuildTool, share: string, signal: AbortSignal): Promise<ProvidedTool | ToolMissing> {
    return (await this.#ready?.tools.provide(tool, share, signal)) ?? 'unavailable';
  }

  override async describe(tools: readonly BuildTool[]): Promise<readonly ToolDescriptor[]> {
    if (!this.#ready) return [];
    const { making, tools: store } = this.#ready;
    const own = making.machine.tools.filter(({ name }) => !tools.some((tool) => tool.name === name));
    const fetched = await Promise.all(tools.map((tool) => store.describe(tool)));
    return [...fetched, ...own];
  }

  override async open(limits: BuildLimits, onRefused: (host: string, why: string) => void): Promise<Sandbox> {
    const missing = await this.tried();
    if (!this.#ready) return refuse('builder_unavailable', missing ?? undefined);
    return openSandbox(this.#ready.making, this.#ready.isolation, limits, onRefused);
  }
}

/** There is no job to which refused hosts could be reported. */
const noted = () => undefined;

const unexpected = (error: unknown) =>
  `Could not test whether builds work: ${error instanceof Error ? error.message : error}`;

async function tryOut(making: SandboxCreation, isolation: Isolation, signal: AbortSignal): Promise<string | null> {
  // Downloading an image can take minutes.
  await unlessAborted(isolation.prepare(), signal);
  return probe(await openSandbox(making, isolation, LIMITS_OF_PROBE, noted), isolation.engine, signal);
}

/** Installs a tool in a separate sandbox, which contains no project. Returns null if the installation fails. */
async function installTool(making: SandboxCreation, isolation: Isolation, spec: string, signal: AbortSignal) {
  const sandbox = await openSandbox(making, isolation, LIMITS_OF_TOOLS, noted, makePlainDisk);
  // Since version 12, npm runs install scripts only for packages that the project allows. The installed files must be
  // readable for everyone, because every build runs as a different user.
  const project = JSON.stringify({ private: true, allowScripts: { [spec.replace(/@[^@]+$/, '')]: true } });
  const install = `npm install --no-save --no-audit --no-fund --no-package-lock --loglevel=error -- '${spec}'`;
  const script = `printf '%s' '${project}' > package.json && ${install} && chmod -R a+rX .`;
  try {
    const { exitCode } = await sandbox.run({ script, folder: '.', tools: [], env: {} }, async () => undefined, signal);
    if (exitCode === 0) return { folder: sandbox.workTree, remove: () => sandbox.close() };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  await sandbox.close();
  return null;
}
