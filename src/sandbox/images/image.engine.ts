import { hash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unlessAborted } from '../../kernel/concurrency/or-aborted.js';
import { Semaphore } from '../../kernel/concurrency/semaphore.js';
import { ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import type { BuildLimits, Exceeded, OnOutput } from '../../kernel/ports/outside/builder.js';
import {
  type BuiltImage,
  ImageBuildError,
  ImageBuilder,
  type ImageSource,
} from '../../kernel/ports/outside/image-builder.js';
import { refuse } from '../../kernel/refusal.js';
import { machineImage } from '../container/build-image.js';
import { findEngine } from '../container/engine-socket.js';
import type { OnRefused } from '../egress/egress-proxy.js';
import { isRoot } from '../isolated/owner.js';
import { controlGroupsV1 } from '../limits/control-groups-v1.js';
import { controlGroupsV2 } from '../limits/control-groups-v2.js';
import { withinLimits } from '../limits/within-limits.js';
import { removeWritten } from '../workspace/remove-written.js';
import { SandboxFolders } from '../workspace/sandbox-folders.js';
import { baseTriggers } from './base-triggers.js';
import { buildContext } from './context.js';
import { buildInEngine, fetchBase } from './engine-builds.js';
import { EngineDisk } from './engine-disk.js';
import { ociArchive } from './oci-archive.js';
import { probeImages } from './probe-images.js';
import type { ReadyEngine } from './ready-engine.js';
import { clearRunNetworks, type RunHosts, RunNetwork } from './run-network.js';
import { spoolImage } from './spooled-image.js';

const NO_ENGINE =
  'Building Dockerfiles requires Docker or Podman, but neither could be reached at DOCKER_HOST or at its default sockets. On Debian, run apt-get install podman, then podman system service.';
const NEEDS_PODMAN =
  'STELE_IMAGE_BUILD_NETWORK is “registries”, which requires Podman. Use Podman, or set it to “none”.';
const NO_GROUPS =
  'Podman must manage control groups with cgroupfs so that Dockerfile builds can be limited and stopped. Run this service as root, and set cgroup_manager = "cgroupfs" in containers.conf.';

const MAX_WAITING = 1_000;

/** Exit code of a process that was killed by SIGKILL, in the format that shells use. */
const KILLED = 137;

const MAX_REFUSED = 20;

const REPOSITORY = 'localhost/stele-image';

/** A container engine that has passed the tests. `openNetwork` is null if build commands have no network access. */
type ReadyImages = ReadyEngine & {
  readonly openNetwork: ((workspace: string, onRefused: OnRefused) => Promise<RunNetwork>) | null;
};

/** Builds images in a container engine, with Docker’s classic builder or Podman’s. */
export class EngineImages extends ImageBuilder {
  #trying: Promise<ReadyImages | string> | null = null;
  #workspaces: SandboxFolders | null = null;
  readonly #stopping = new AbortController();
  /** Allows one build at a time, because a second one would affect the measurement of free disk space. */
  readonly #turns = new Semaphore(1, MAX_WAITING);

  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    /** The hosts that build commands can reach, or null if they have no network access. */
    private readonly runHosts: RunHosts | null = null,
    private readonly besideFile?: string,
  ) {
    super();
  }

  override async tried(): Promise<string | null> {
    const ready = await this.#ready();
    return typeof ready === 'string' ? ready : null;
  }

  /** Ends the test of the engine. Resolves when the containers of the test have been removed. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The service is stopping.'));
    await this.#trying;
  }

  /** Looks for an engine on every call until one is found, because it may be started later. */
  async #ready(): Promise<ReadyImages | string> {
    this.#trying ??= this.#try().catch(
      (error) => `Could not test whether images can be built: ${error instanceof Error ? error.message : error}`,
    );
    const ready = await this.#trying;
    if (typeof ready === 'string') this.#trying = null;
    return ready;
  }

  async #try(): Promise<ReadyImages | string> {
    const { signal } = this.#stopping;
    const engine = await unlessAborted(findEngine(this.env), signal);
    if (!engine) return NO_ENGINE;
    const { docker, isPodman } = engine;
    const { CgroupDriver, DockerRootDir } = await docker.info();
    const isOurs = CgroupDriver === 'cgroupfs' && isRoot() && !engine.isRootless;
    const groups = isOurs ? ((await controlGroupsV2()) ?? (await controlGroupsV1(undefined, 'root'))) : null;
    if (isPodman && !groups) return NO_GROUPS;
    await mkdir(this.folder, { recursive: true, mode: 0o711 });
    this.#workspaces ??= await SandboxFolders.open(join(this.folder, 'rooms'));
    if (this.runHosts !== null && !isPodman) return NEEDS_PODMAN;
    await this.#workspaces.sweep(async (workspace) => {
      await groups?.clear(basename(workspace));
      await clearRunNetworks(docker, basename(workspace));
      await untag(docker, tagOf(basename(workspace)));
      await removeWritten(workspace);
    });
    const ready = { docker, isPodman, groups, disk: DockerRootDir };
    const id = hash('sha256', this.folder).slice(0, 16);
    const image = await unlessAborted(machineImage(docker, this.folder, id), signal);
    const { runHosts } = this;
    if (runHosts === null) return (await probeImages(ready, image, null, signal)) ?? { ...ready, openNetwork: null };
    const openNetwork = (workspace: string, onRefused: OnRefused) =>
      RunNetwork.open(docker, image, workspace, runHosts, onRefused, this.besideFile);
    const workspace = join(this.#workspaces.folder, randomBytes(8).toString('hex'));
    await mkdir(workspace, { mode: 0o711 });
    const network = await openNetwork(workspace, () => undefined);
    try {
      return (await probeImages(ready, image, network, signal)) ?? { ...ready, openNetwork };
    } finally {
      await network.close();
      await removeWritten(workspace);
    }
  }

  override async build(
    source: ImageSource,
    limits: BuildLimits,
    onOutput: OnOutput,
    signal: AbortSignal,
  ): Promise<BuiltImage> {
    const ready = await this.#ready();
    if (typeof ready === 'string' || !this.#workspaces) return refuse('builder_unavailable', String(ready));
    const workspace = join(this.#workspaces.folder, randomBytes(8).toString('hex'));
    await mkdir(workspace, { mode: 0o700 });
    const image = new EngineImage(ready, workspace);
    try {
      const turn = this.#turns.run(() => image.build(source, limits, onOutput, signal));
      const leftOut = await (turn ??
        refuse('unavailable', 'Too many images are being built at the moment. Try again shortly.'));
      return {
        leftOut,
        archive: (mostBytes) => image.archive(mostBytes),
        close: () => image.close(),
      };
    } catch (error) {
      await image.close();
      throw error;
    }
  }
}

const tagOf = (workspace: string) => `${REPOSITORY}:${workspace}`;

/**
 * Removes a name from an image. The engine deletes an image without names. `force` is not used, because it makes
 * Podman remove all names and kill the image’s containers, which could include a site’s server.
 */
const untag = (docker: ReadyEngine['docker'], tag: string) => docker.getImage(tag).remove().catch(ignoreFault);

class EngineImage {
  readonly #tag: string;

  constructor(
    private readonly engine: ReadyImages,
    private readonly workspace: string,
  ) {
    this.#tag = tagOf(basename(workspace));
  }

  async build(source: ImageSource, limits: BuildLimits, onOutput: OnOutput, signal: AbortSignal) {
    signal.throwIfAborted();
    const { docker, groups, disk: folder, openNetwork } = this.engine;
    const context = await buildContext(source, limits.diskBytes);
    const disk = await EngineDisk.measure(folder, limits.diskBytes);
    const group = (await groups?.make(basename(this.workspace), limits)) ?? null;
    const hint = 'RUN can only reach the hosts that the operator has listed in STELE_BUILD_HOSTS.';
    const onRefused = (host: string, why: string) => refused.set(host, why);
    const refused = new Map<string, string>();
    const network = (await openNetwork?.(this.workspace, onRefused)) ?? null;
    let failure: ImageBuildError | null = null;
    try {
      const work = async (until: AbortSignal) => {
        const kill = () => void group?.kill();
        until.addEventListener('abort', kill, { once: true });
        try {
          for (const base of source.bases) await fetchBase(docker, base, onOutput, until);
          for (const base of source.bases) await this.#assertHarmless(base, source);
          const asked = {
            context: context.archive,
            dockerfile: source.dockerfile,
            tag: this.#tag,
            memoryBytes: limits.memoryBytes,
            fileBytes: limits.diskBytes,
            parent: group?.parent ? `${group.parent}/run` : null,
            network,
          };
          await buildInEngine(this.engine, asked, onOutput, until);
          return { exitCode: 0, exceeded: null };
        } catch (error) {
          if (!(error instanceof ImageBuildError)) throw error;
          failure = error;
          return { exitCode: 1, exceeded: (await group?.exceeded()) ?? outOfMemory(error, limits) };
        } finally {
          until.removeEventListener('abort', kill);
          await group?.kill();
        }
      };
      const { exitCode, exceeded } = await withinLimits(disk ? [disk] : [], signal, work);
      if (exceeded)
        throw new ImageBuildError(`The build reached its limit of ${exceeded.limit} ${LIMITS[exceeded.what]}.`);
      if (exitCode !== 0) throw failure ?? new ImageBuildError('The build was stopped.');
      return context.leftOut;
    } finally {
      for (const [host, why] of [...refused].slice(0, MAX_REFUSED))
        await onOutput('stderr', Buffer.from(`Blocked a connection: ${host} ${why}. ${hint}\n`));
      await network?.close();
      await group?.remove();
    }
  }

  /**
   * Throws if a base image adds a forbidden `ONBUILD` instruction. The build runs these instructions like those of the
   * Dockerfile.
   */
  async #assertHarmless(base: string, { whyRefused }: ImageSource) {
    for (const trigger of await baseTriggers(this.engine, base)) {
      const why = whyRefused(trigger);
      if (why !== null) throw new ImageBuildError(`${base} adds an ONBUILD instruction that is not allowed: ${why}`);
    }
  }

  async *archive(mostBytes: number): AsyncGenerator<Uint8Array> {
    const folder = join(this.workspace, 'image');
    await mkdir(folder);
    const exported = await this.engine.docker.getImage(this.#tag).get();
    yield* ociArchive(await spoolImage(exported as AsyncIterable<Buffer> & typeof exported, folder, mostBytes));
  }

  async close(): Promise<void> {
    await untag(this.engine.docker, this.#tag);
    await removeWritten(this.workspace);
  }
}

/**
 * Returns the memory limit if a command exceeded it. Only the exit code shows this, because the engine’s control group
 * no longer exists. Only the kernel and this process kill commands.
 */
const outOfMemory = ({ exitCode }: ImageBuildError, { memoryBytes }: BuildLimits): Exceeded | null =>
  exitCode === KILLED ? { what: 'memory', limit: formatBytes(memoryBytes) } : null;

const LIMITS = { memory: 'of memory', processes: 'processes', disk: 'on disk', files: 'files on disk' } as const;
