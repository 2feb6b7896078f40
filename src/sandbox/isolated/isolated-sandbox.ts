import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import {
  type ArchivedFolder,
  type CommandEnd,
  type KeptDependencies,
  type LeftOut,
  type OnOutput,
  type OutputFile,
  type OwnFiles,
  Sandbox,
  type SandboxCommand,
} from '../../kernel/ports/outside/builder.js';
import type { RepoEntry } from '../../kernel/ports/outside/repositories.js';
import type { DependencyCache } from '../cache/dependency-cache.js';
import { keeping, removing, restoring } from '../cache/kept-folders.js';
import type { EgressProxy } from '../egress/egress-proxy.js';
import { sandboxEnvironment } from '../inside/environment.js';
import { INSIDE } from '../inside/places.js';
import type { IsolatedCommand, SandboxPlaces, Walls } from '../isolation.js';
import { withinLimits } from '../limits/within-limits.js';
import type { Machine } from '../tools/machine.js';
import { formatToolFolder, locateCommands } from '../tools/package-managers.js';
import type { Disk } from '../workspace/disk.js';
import { outputArchive } from '../workspace/output-archive.js';
import { outputContent, outputFiles } from '../workspace/output-files.js';
import { succeeds } from '../workspace/program.js';
import { writeWorkTree } from '../workspace/work-tree.js';

export type SandboxParts = {
  readonly places: SandboxPlaces;
  readonly machine: Machine;
  readonly disk: Disk;
  readonly proxy: EgressProxy;
  readonly walls: Walls;
  readonly cache: DependencyCache;
  readonly onClosed: () => void;
};

const script = (text: string): SandboxCommand => ({ script: text, folder: '.', tools: [], env: {} });
/** Exit code that shells report for a process that exceeded the file size limit (128 + SIGXFSZ). */
const FILE_TOO_LARGE = 153;

const quietly: OnOutput = async () => undefined;

export class IsolatedSandbox extends Sandbox {
  #isClosed = false;
  /** True once the work tree belongs to the sandbox’s user. */
  #isOwned = false;

  constructor(private readonly parts: SandboxParts) {
    super();
  }

  override write(
    entries: readonly RepoEntry[],
    content: (entry: RepoEntry) => AsyncIterable<Uint8Array>,
    own: OwnFiles = new Map(),
  ): Promise<readonly LeftOut[]> {
    return writeWorkTree(this.workTree, entries, content, this.parts.places.limits.diskBytes, own);
  }

  override async run(command: SandboxCommand, onOutput: OnOutput, signal: AbortSignal): Promise<CommandEnd> {
    const { disk, places } = this.parts;
    const { exitCode, exceeded } = await withinLimits([disk], signal, (until) =>
      this.#execute(command, onOutput, until, null),
    );
    if (exceeded !== null || exitCode !== FILE_TOO_LARGE) return { exitCode, exceeded };
    return { exitCode, exceeded: { what: 'disk', limit: formatBytes(places.limits.diskBytes) } };
  }

  async #execute(command: SandboxCommand, onOutput: OnOutput, signal: AbortSignal, cache: IsolatedCommand['cache']) {
    const { machine, walls } = this.parts;
    await this.#own();
    const paths = command.tools.map(
      (tool) => `${INSIDE.tools}/${formatToolFolder(tool)}/${locateCommands(tool, process.arch)}`,
    );
    const env = { ...command.env, ...sandboxEnvironment(machine, paths) };
    return walls.run({ script: command.script, folder: command.folder, env, cache }, onOutput, signal);
  }

  override async restoreDependencies(key: string, signal: AbortSignal): Promise<KeptDependencies | null> {
    const { cache } = this.parts;
    const found = await cache.find(key);
    if (found === null) return null;
    const { folder, kept } = found;
    const { exitCode } = await this.#execute(script(restoring), quietly, signal, { folder, isWritten: false });
    if (exitCode === 0) return kept;
    await cache.forget(key);
    await this.#execute(script(removing), quietly, signal, null);
    return null;
  }

  override async canKeepDependencies(): Promise<boolean> {
    return (await this.parts.cache.hasRoom().catch(ignoreFault)) ?? false;
  }

  override async keepDependencies(key: string, kept: KeptDependencies, signal: AbortSignal): Promise<void> {
    const { places, cache } = this.parts;
    const entry = await cache.begin(key, kept).catch(ignoreFault);
    if (!entry) return;
    const { folder } = entry;
    try {
      if (places.owner) await chown(folder, places.owner.uid, places.owner.gid);
      const copy = script(keeping(kept.kind, cache.mostOfOne));
      const { exitCode } = await this.#execute(copy, quietly, signal, { folder, isWritten: true });
      if (exitCode !== 0) return await entry.abandon();
      await entry.keep();
    } catch {
      await entry.abandon();
      signal.throwIfAborted();
    }
  }

  override files(folder: string): Promise<readonly OutputFile[] | null> {
    return outputFiles(this.workTree, folder);
  }

  override content(folder: string, path: string): AsyncIterable<Uint8Array> {
    return outputContent(join(this.workTree, folder, path));
  }

  override archive(
    texts: Readonly<Record<string, string>>,
    folders: readonly ArchivedFolder[],
  ): AsyncIterable<Uint8Array> {
    return outputArchive(this.workTree, texts, folders);
  }

  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { proxy, walls, disk } = this.parts;
    await walls.remove();
    await proxy.close();
    await disk.remove();
    this.parts.onClosed();
  }

  get workTree(): string {
    return this.parts.places.workTree;
  }

  /** Makes the build’s user the owner of the work tree, whose first files were written by this process. */
  async #own(): Promise<void> {
    const { owner } = this.parts.places;
    if (!owner || this.#isOwned) return;
    this.#isOwned = true;
    await succeeds('chown', ['--recursive', '--no-dereference', `${owner.uid}:${owner.gid}`, this.workTree]);
  }
}
