import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Builder,
  type BuildLimits,
  type BuildTool,
  type CommandEnd,
  type LeftOut,
  type OnOutput,
  type OutputFile,
  Sandbox,
  type SandboxCommand,
} from '../../kernel/ports/builder.js';
import type { RepoEntry } from '../../kernel/ports/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import { DependencyCache } from '../cache/dependency-cache.js';
import { EgressProxy, type Lookup } from '../egress/egress-proxy.js';
import type { Hosts } from '../egress/hosts.js';
import { type ControlGroup, type ControlGroups, mebibytes } from '../limits/control-groups.js';
import { controlGroupsV1 } from '../limits/control-groups-v1.js';
import { controlGroupsV2 } from '../limits/control-groups-v2.js';
import { ProcessTree } from '../limits/process-tree.js';
import { programLimits } from '../limits/program-limits.js';
import { withinLimits } from '../limits/within-limits.js';
import { copyMachine, type Machine } from '../tools/machine.js';
import { commandsOf, folderOf } from '../tools/package-managers.js';
import { ToolStore } from '../tools/tool-store.js';
import { type Disk, makeDisk, makePlainDisk, removeDisk } from '../workspace/disk.js';
import { outputContent, outputFiles } from '../workspace/output-files.js';
import { type Owner, Owners } from '../workspace/owners.js';
import { reachablePlace } from '../workspace/place.js';
import { ProcessRooms } from '../workspace/process-rooms.js';
import { succeeds } from '../workspace/program.js';
import { writeWorkTree } from '../workspace/work-tree.js';
import {
  type BuildFolders,
  etcFiles,
  INSIDE,
  insideProgram,
  sandboxArguments,
  sandboxEnvironment,
} from './sandbox-arguments.js';
import { runInSandbox, SECCOMP } from './sandbox-process.js';
import { isProcessor, seccompFilter } from './seccomp.js';

/** It has no types in it, so that it runs as it stands here too, where tests run the sources. */
const INSIDE_FILE = fileURLToPath(new URL(`inside/inside${extname(import.meta.url)}`, import.meta.url));

/** How long a sandbox may take to run nothing, at the start, in milliseconds: a machine may be slow, or busy. */
const PROBE_MS = 60_000;

export type BubblewrapOptions = {
  /** Where builds have their rooms; nobody else uses it. */
  readonly folder: string;
  readonly hosts: Hosts;
  readonly lookup: Lookup;
};

/** Builds in bubblewrap: namespaces, a filter of system calls, control groups where the kernel lets us make any. */
export class BubblewrapBuilder extends Builder {
  override readonly engine = 'bubblewrap';
  #missing: string | null = 'Builds are being tried.';
  #starting: Promise<unknown> = Promise.resolve();
  #machine: Machine | null = null;
  #groups: ControlGroups | null = null;
  #rooms: ProcessRooms | null = null;
  readonly #owners = new Owners();

  #folder: string;
  #tools: ToolStore | null = null;
  #cache: DependencyCache;

  constructor(private readonly options: BubblewrapOptions) {
    super();
    this.#folder = options.folder;
    this.#cache = new DependencyCache(join(options.folder, 'caches'));
  }

  override get missing() {
    return this.#missing;
  }

  override async tried(): Promise<string | null> {
    await this.#starting;
    return this.#missing;
  }

  /** Removes what a process that was killed has left, and tries the sandbox by running it. Never rejects. */
  start(env: NodeJS.ProcessEnv): Promise<unknown> {
    this.#starting = this.#start(env).catch((error) => {
      this.#missing = `Builds could not be tried: ${error instanceof Error ? error.message : error}`;
    });
    return this.#starting;
  }

  async #start(env: NodeJS.ProcessEnv): Promise<void> {
    const folder = isRoot() ? await reachablePlace(this.options.folder) : this.options.folder;
    this.#folder = folder;
    await mkdir(join(folder, 'tools'), { recursive: true, mode: 0o755 });
    await this.#writeEtc();
    this.#machine = await copyMachine(join(folder, 'tools'), INSIDE_FILE, env);
    const install = (spec: string, signal: AbortSignal) => this.#installTool(spec, signal);
    this.#tools = new ToolStore(join(folder, 'tools'), install);
    this.#groups = (await controlGroupsV2()) ?? (isRoot() ? await controlGroupsV1() : null);
    this.#cache = new DependencyCache(join(folder, 'caches'));
    await this.#cache.clean();
    this.#rooms = await ProcessRooms.open(join(folder, 'rooms'));
    await this.#rooms.sweep(async (room) => {
      await this.#groups?.clear(basename(room));
      await removeDisk(room);
    });
    this.#missing = await this.#probed();
  }

  override async provide(tool: BuildTool, signal: AbortSignal): Promise<boolean> {
    return (await this.#tools?.provide(tool, signal)) ?? false;
  }

  override async open(limits: BuildLimits, onRefused: (host: string, why: string) => void): Promise<Sandbox> {
    const missing = await this.tried();
    if (missing !== null || !this.#machine) return refuse('builder_unavailable', missing ?? undefined);
    return this.#room(this.#machine, limits, onRefused);
  }

  /** In a sandbox of its own, which sees nobody’s project. Null where it did not work out. */
  async #installTool(spec: string, signal: AbortSignal) {
    if (!this.#machine) return null;
    const room = await this.#room(this.#machine, LIMITS_OF_TOOLS, () => undefined, makePlainDisk);
    const script = `npm install --no-save --no-audit --no-fund --no-package-lock --loglevel=error -- '${spec}' && chmod -R a+rX .`;
    try {
      const { exitCode } = await room.run({ script, folder: '.', tools: [], env: {} }, async () => undefined, signal);
      if (exitCode === 0) return { folder: room.workTree, remove: () => room.close() };
    } catch (error) {
      await room.close();
      throw error;
    }
    await room.close();
    return null;
  }

  async #room(
    machine: Machine,
    limits: BuildLimits,
    onRefused: (host: string, why: string) => void,
    disks: typeof makeDisk = makeDisk,
  ) {
    const { hosts, lookup } = this.options;
    const folder = this.#folder;
    const name = randomBytes(8).toString('hex');
    const owner = isRoot() ? this.#owners.take() : null;
    const place = join(this.#rooms?.folder ?? folder, name);
    const disk = await disks(place, limits, owner);
    for (const each of ['work', 'home', 'tmp']) {
      await mkdir(join(disk.folder, each), { mode: 0o700 });
      if (owner) await chown(join(disk.folder, each), owner.uid, owner.gid);
    }
    const socket = join(place, 'proxy.sock');
    const proxy = await EgressProxy.listen(socket, { hosts, lookup, onRefused });
    await chmod(socket, 0o666);
    const group = (await this.#groups?.make(name, limits)) ?? null;
    const onClosed = () => owner && this.#owners.giveBack(owner);
    return new Room({ machine, limits, disk, owner, proxy, group, cache: this.#cache, folder, socket, onClosed });
  }

  async #probed(): Promise<string | null> {
    if (!isProcessor(process.arch)) return `Builds know no processor of the kind ${process.arch}.`;
    if (!(await succeeds('bwrap', ['--version'])))
      return 'Repositories that have to be built need bubblewrap. On Debian: apt-get install bubblewrap';
    if (!this.#machine) return 'Repositories that have to be built need npm.';
    const limits = { memoryBytes: 536_870_912, processes: 64, diskBytes: 16_777_216, diskFiles: 1_000 };
    const room = await this.#room(this.#machine, limits, () => undefined);
    const said: Uint8Array[] = [];
    try {
      const command = { script: 'node --version && npm --version', folder: '.', tools: [], env: {} };
      const listen = async (_: string, bytes: Uint8Array) => void said.push(bytes);
      const { exitCode } = await room.run(command, listen, AbortSignal.timeout(PROBE_MS));
      const why = Buffer.concat(said).toString('utf8').trim().slice(0, 300);
      return exitCode === 0 ? null : `bubblewrap cannot make a sandbox here: ${why}`;
    } catch {
      return 'bubblewrap did not make a sandbox in time.';
    } finally {
      await room.close();
    }
  }

  async #writeEtc(): Promise<void> {
    const folder = join(this.#folder, 'etc');
    await mkdir(folder, { recursive: true, mode: 0o755 });
    for (const [name, text] of Object.entries(etcFiles)) await writeFile(join(folder, name), text, { mode: 0o644 });
  }
}

const isRoot = () => process.getuid?.() === 0;

const LIMITS_OF_TOOLS: BuildLimits = {
  memoryBytes: 1_073_741_824,
  processes: 256,
  diskBytes: 1_073_741_824,
  diskFiles: 100_000,
};

type RoomParts = {
  readonly machine: Machine;
  readonly limits: BuildLimits;
  readonly disk: Disk;
  readonly owner: Owner | null;
  readonly proxy: EgressProxy;
  readonly group: ControlGroup | null;
  readonly cache: DependencyCache;
  readonly folder: string;
  readonly socket: string;
  readonly onClosed: () => void;
};

/** Every folder of dependencies, with where it lies, to and from the folder that is kept. Other users read it there. */
const KEEP = `find . -name node_modules -type d -prune -print0 | xargs -0 -r cp -a --reflink=auto --parents -t ${INSIDE.cache} && chmod -R a+rX ${INSIDE.cache}`;
const RESTORE = `cp -a --reflink=auto ${INSIDE.cache}/. ${INSIDE.workTree}/`;
const script = (text: string): SandboxCommand => ({ script: text, folder: '.', tools: [], env: {} });
const quietly: OnOutput = async () => undefined;

class Room extends Sandbox {
  #isClosed = false;
  /** The work tree belongs to whoever the sandbox is. */
  #isOwned = false;

  constructor(private readonly parts: RoomParts) {
    super();
  }

  override write(
    entries: readonly RepoEntry[],
    content: (entry: RepoEntry) => AsyncIterable<Uint8Array>,
  ): Promise<readonly LeftOut[]> {
    return writeWorkTree(this.workTree, entries, content, this.parts.limits.diskBytes);
  }

  override async run(command: SandboxCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd> {
    const { group, disk, limits } = this.parts;
    const tree = group ? null : new ProcessTree(limits);
    const onStarted = tree?.begin;
    const largestFile = { what: 'disk', limit: mebibytes(limits.diskBytes) } as const;
    const { exitCode, exceeded } = await withinLimits(tree ? [disk, tree] : [disk], largestFile, signal, (until) =>
      this.#execute(command, onOutput, until, null, onStarted),
    );
    return { exitCode, exceeded: (await group?.exceeded()) ?? exceeded };
  }

  /** Answers the exit code. Nothing that was started lives on. */
  async #execute(
    command: SandboxCommand,
    onOutput: OnOutput,
    signal: AbortSignal,
    cache: BuildFolders['cache'],
    onStarted: (pid: number) => void = () => undefined,
  ) {
    const { machine, disk, owner, group, folder, socket, limits } = this.parts;
    const build = {
      workTree: this.workTree,
      home: join(disk.folder, 'home'),
      temporary: join(disk.folder, 'tmp'),
      tools: join(folder, 'tools'),
      etc: join(folder, 'etc'),
      proxy: socket,
      cache,
    };
    await this.#own();
    const paths = command.tools.map((tool) => `${INSIDE.tools}/${folderOf(tool)}/${commandsOf(tool, process.arch)}`);
    const env = { ...command.env, ...sandboxEnvironment(machine, paths) };
    try {
      return await runInSandbox(
        {
          sandbox: sandboxArguments({ folder: command.folder, env }, build, SECCOMP),
          seccomp: seccompFilter(process.arch as 'x64' | 'arm64'),
          program: insideProgram(command.script),
          uid: owner?.uid ?? null,
          doors: group?.doors ?? [],
          limits: programLimits(limits, group !== null),
          onStarted,
        },
        onOutput,
        signal,
      );
    } finally {
      await group?.kill();
    }
  }

  override async restoreDependencies(key: string, signal: AbortSignal): Promise<boolean> {
    const folder = await this.parts.cache.find(key);
    if (folder === null) return false;
    return (await this.#execute(script(RESTORE), quietly, signal, { folder, isWritten: false })) === 0;
  }

  override async keepDependencies(key: string, signal: AbortSignal): Promise<void> {
    const { owner, cache } = this.parts;
    const entry = await cache.begin(key);
    try {
      if (owner) await chown(entry.folder, owner.uid, owner.gid);
      const exitCode = await this.#execute(script(KEEP), quietly, signal, { folder: entry.folder, isWritten: true });
      await (exitCode === 0 ? entry.keep() : entry.abandon());
    } catch (error) {
      await entry.abandon();
      throw error;
    }
  }

  override files(folder: string): Promise<readonly OutputFile[] | null> {
    return outputFiles(this.workTree, folder);
  }

  override content(folder: string, path: string): AsyncIterable<Uint8Array> {
    return outputContent(join(this.workTree, folder, path));
  }

  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { proxy, group, disk } = this.parts;
    await group?.kill();
    await group?.remove();
    await proxy.close();
    await disk.remove();
    this.parts.onClosed();
  }

  get workTree(): string {
    return join(this.parts.disk.folder, 'work');
  }

  /** What we have written becomes the sandbox’s own, once: what it writes itself is. */
  async #own(): Promise<void> {
    const { owner } = this.parts;
    if (!owner || this.#isOwned) return;
    this.#isOwned = true;
    await succeeds('chown', ['--recursive', '--no-dereference', `${owner.uid}:${owner.gid}`, this.workTree]);
  }
}
