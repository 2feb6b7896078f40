import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { HostLookup } from '../../adapters/network/public-address.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { alreadyGone, waitEnded } from '../../kernel/faults/ignored-fault.js';
import { type RunningServer, ServerRunner, type ServerToRun } from '../../kernel/ports/outside/server-runner.js';
import { refuse } from '../../kernel/refusal.js';
import { writeEtc } from '../bubblewrap/sandbox-arguments.js';
import { Containers } from '../container/container.engine.js';
import type { Connect } from '../egress/egress-proxy.js';
import { isRoot } from '../isolated/owner.js';
import type { ControlGroupTree } from '../limits/control-groups.js';
import { controlGroupsHere } from '../limits/control-groups-here.js';
import { hardLimits } from '../limits/server-limits.js';
import { INSIDE_FILE } from '../sandbox-builder.js';
import { isProcessor } from '../seccomp/rules.js';
import { copyMachine, MACHINE, OF_MACHINE } from '../tools/machine.js';
import { OwnerPool } from '../workspace/owners.js';
import { reachablePlace } from '../workspace/place.js';
import { succeeds } from '../workspace/program.js';
import { removeWritten } from '../workspace/remove-written.js';
import { SandboxFolders } from '../workspace/sandbox-folders.js';
import { BubblewrapServer, type SandboxMaking } from './bubblewrap-server.js';
import { ContainerServer, removeContainer } from './container-server.js';
import { besideOptions, buildServerOptions, listensToSocket, triedPort } from './server-container.js';
import { openServerSandbox } from './server-sandbox.js';
import { ImageStore } from './stored-images.js';
import { StoredOutputs } from './stored-outputs.js';

const INSIDE = fileURLToPath(new URL('../inside', import.meta.url));

const SWEEP_EVERY_MS = 10_000;

const sweeping = new BackgroundTask('sweep_servers');

export type SandboxedServerOptions = {
  /** Folder for the sandboxes of servers and builds, and for the tool store. */
  readonly folder: string;
  readonly lookup: HostLookup;
  /** Opens connections to allowed hosts. Defaults to a direct connection. */
  readonly connect?: Connect;
  readonly engines: readonly ('bubblewrap' | 'container')[];
  /** Image of the helper container, or null to create one from this machine’s programs. */
  readonly image: string | null;
  readonly env: NodeJS.ProcessEnv;
  /** Folder with the compiled scripts that run inside sandboxes. */
  readonly inside?: string;
};

type ServerPaths = {
  readonly sandboxes: SandboxFolders;
  readonly outputs: StoredOutputs;
  readonly groups: ControlGroupTree | null;
  readonly bubblewrap: SandboxMaking;
  readonly beside: string;
};

type Engine = { readonly containers: Containers; readonly images: ImageStore };

/** Runs Next.js servers in bubblewrap, and images in Docker or Podman containers. */
export class SandboxedServerRunner extends ServerRunner {
  readonly #owners = new OwnerPool();
  #starting: Promise<ServerPaths> | null = null;
  #engine: Promise<Engine | string> | null = null;
  #hasBubblewrap: Promise<boolean> | null = null;

  constructor(private readonly options: SandboxedServerOptions) {
    super();
  }

  override async missing(kind: ServerToRun['kind']): Promise<string | null> {
    const { engines } = this.options;
    if (!isProcessor(process.arch)) return `Servers are not supported on ${process.arch} processors.`;
    if (kind === 'next') {
      this.#hasBubblewrap ??= succeeds('bwrap', ['--version']);
      if (engines.includes('bubblewrap') && (await this.#hasBubblewrap)) return null;
      return 'Running Next.js servers requires bubblewrap. On Debian: apt-get install bubblewrap';
    }
    if (!engines.includes('container')) return 'The operator has disabled containers (STELE_BUILDER).';
    const engine = await this.#engineHere();
    return typeof engine === 'string' ? engine : null;
  }

  async sweepRegularly(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sweeping.run(() => this.sweep());
      await delay(SWEEP_EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
    }
  }

  /** Ends sandboxed processes that killed processes of the service left running, and removes their folders. */
  async sweep(): Promise<void> {
    const { sandboxes, groups } = await this.#places();
    const engine = await this.#engine;
    await sandboxes.sweep(async (path) => {
      await groups?.clear(basename(path));
      if (engine && typeof engine !== 'string') await engine.containers.clear(basename(path));
      await removeWritten(path);
    });
  }

  /** Removes the folder of this process. Its servers must have ended. */
  async close(): Promise<void> {
    const places = await this.#starting?.catch(alreadyGone);
    if (places) await rm(places.sandboxes.folder, { recursive: true, force: true });
  }

  override async start(server: ServerToRun, signal: AbortSignal): Promise<RunningServer> {
    const missing = await this.missing(server.kind);
    if (missing !== null) return refuse('builder_unavailable', missing);
    const places = await this.#places();
    signal.throwIfAborted();
    return server.kind === 'next' ? this.#startOutput(places, server) : this.#startImage(places, server);
  }

  async #startOutput(
    { outputs, sandboxes, bubblewrap, groups }: ServerPaths,
    server: ServerToRun,
  ): Promise<RunningServer> {
    const output = await outputs.take(server.digest, server.content);
    try {
      const sandbox = await openServerSandbox(sandboxes.folder, this.#owners, this.options, server);
      const group = (await groups?.make(sandbox.name, server.limits)) ?? null;
      return new BubblewrapServer(server, bubblewrap, output, sandbox, group);
    } catch (error) {
      output.release();
      throw error;
    }
  }

  async #startImage(
    { sandboxes, bubblewrap, beside: besideFile }: ServerPaths,
    server: ServerToRun,
  ): Promise<RunningServer> {
    const engine = await this.#engineHere();
    if (typeof engine === 'string') return refuse('builder_unavailable', engine);
    const { containers, images } = engine;
    const image = await images.take(server.digest, server.content);
    const { docker, settings } = containers.own;
    const sandbox = await openServerSandbox(sandboxes.folder, this.#owners, this.options, server);
    let beside = null;
    try {
      if (!listensToSocket(image) || sandbox.proxy !== null) {
        const files = { node: bubblewrap.node, beside: besideFile };
        beside = await docker.createContainer(besideOptions(settings, sandbox, files, image));
        await beside.start();
      }
      const options = buildServerOptions(settings, sandbox, image, server, beside?.id ?? null);
      return new ContainerServer(server, await docker.createContainer(options), beside, sandbox, triedPort(image));
    } catch (error) {
      if (beside) await removeContainer(beside);
      await sandbox.remove();
      throw error;
    }
  }

  #places(): Promise<ServerPaths> {
    this.#starting ??= this.#prepare().catch((error) => {
      this.#starting = null;
      throw error;
    });
    return this.#starting;
  }

  async #prepare(): Promise<ServerPaths> {
    const folder = isRoot() ? await reachablePlace(this.options.folder) : this.options.folder;
    const tools = join(folder, 'tools');
    await mkdir(tools, { recursive: true, mode: 0o755 });
    const sandboxes = await SandboxFolders.open(join(folder, 'servers'));
    const inside = this.options.inside ?? INSIDE;
    const insideFile = this.options.inside ? join(inside, 'inside.js') : INSIDE_FILE;
    if (!(await copyMachine(tools, insideFile, this.options.env)))
      throw new Error('Running servers requires npm, which was not found next to the Node executable.');
    const placed = async (name: string) => {
      const file = join(sandboxes.folder, `${name}.mjs`);
      await copyFile(join(inside, `${name}.js`), file);
      await chmod(file, 0o644);
      return file;
    };
    return {
      sandboxes,
      outputs: new StoredOutputs(join(sandboxes.folder, 'outputs')),
      groups: await controlGroupsHere(),
      bubblewrap: {
        etc: await writeEtc(join(sandboxes.folder, 'etc')),
        hardLimits: await hardLimits(),
        node: join(tools, MACHINE, OF_MACHINE.node),
        preload: await placed('listen-on-socket'),
      },
      beside: await placed('beside'),
    };
  }

  #engineHere(): Promise<Engine | string> {
    this.#engine ??= this.#findEngine();
    return this.#engine;
  }

  /**
   * Returns the engine, or the reason why none can be used. In that case, the next call looks for an engine again,
   * because it may be started later.
   */
  async #findEngine(): Promise<Engine | string> {
    const folder = isRoot() ? await reachablePlace(this.options.folder) : this.options.folder;
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const containers = new Containers(this.options.image, this.options.env);
    try {
      const missing = await containers.start(folder);
      if (missing === null) await containers.prepare();
      if (missing === null) return { containers, images: new ImageStore(containers.own.docker) };
      this.#engine = null;
      return missing;
    } catch (error) {
      this.#engine = null;
      return `Could not create containers: ${error instanceof Error ? error.message : error}`;
    }
  }
}
