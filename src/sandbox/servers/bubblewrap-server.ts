import type { OnOutput } from '../../kernel/ports/outside/builder.js';
import { RunningServer, type ServerExit, type ServerToRun } from '../../kernel/ports/outside/server-runner.js';
import { closing, emptyMachine, readOnly, whole } from '../bubblewrap/sandbox-arguments.js';
import { runInSandbox, SECCOMP } from '../bubblewrap/sandbox-process.js';
import type { ControlGroup } from '../limits/control-groups.js';
import { ProcessTree } from '../limits/process-tree.js';
import { computeServerLimits, type HardLimits } from '../limits/server-limits.js';
import { withinLimits } from '../limits/within-limits.js';
import { seccompFilter } from '../seccomp/filter.js';
import { buildProxyEnvironment, PLACES, PORT } from './places.js';
import type { ServerSandbox } from './server-sandbox.js';
import type { UnpackedOutput } from './stored-outputs.js';

export type SandboxMaking = {
  /** Folder that is mounted in place of `/etc`. */
  readonly etc: string;
  readonly hardLimits: HardLimits;
  readonly node: string;
  /** Module that Node loads before the server. */
  readonly preload: string;
};

/**
 * Arguments for a temporary folder such as `/tmp` or `.next/cache`. Its content is kept in memory, and counts as memory
 * use.
 */
const temporary = (bytes: number, path: string) => ['--size', String(bytes), '--tmpfs', path];

/**
 * A standalone Next.js server in bubblewrap. It has no network and cannot change its output. Requests reach it
 * through a socket.
 */
export class BubblewrapServer extends RunningServer {
  readonly #stopping = new AbortController();
  readonly #tree: ProcessTree;
  override readonly ended: Promise<ServerExit>;
  readonly #cleaned: Promise<void>;

  constructor(
    private readonly server: ServerToRun,
    private readonly making: SandboxMaking,
    private readonly output: UnpackedOutput,
    private readonly sandbox: ServerSandbox,
    private readonly group: ControlGroup | null,
  ) {
    super();
    this.#tree = new ProcessTree(server.limits);
    this.ended = this.#run();
    this.#cleaned = this.ended.then(() => this.#clean());
  }

  override socketPath(): Promise<string | null> {
    return this.sandbox.socket.find();
  }

  override memoryBytes(): Promise<number | null> {
    return (this.group ?? this.#tree).memoryBytes();
  }

  override async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server was stopped.'));
    await this.#cleaned;
  }

  async #run(): Promise<ServerExit> {
    const { signal } = this.#stopping;
    try {
      return await (this.group === null
        ? withinLimits([this.#tree], signal, (until) => this.#runUntil(until, this.#tree.begin))
        : this.#runUntil(signal, this.#tree.begin));
    } catch {
      // The server exited because `stop` was called. A server that could not be started has its own exit code,
      // `NOT_STARTED`.
      return { exitCode: 137, exceeded: null };
    }
  }

  async #clean(): Promise<void> {
    await this.group?.kill();
    await this.group?.remove();
    await this.sandbox.remove();
    this.output.release();
  }

  async #runUntil(signal: AbortSignal, onStarted: (pid: number) => void): Promise<ServerExit> {
    const { server, making, sandbox, group } = this;
    const { limits } = server;
    const onOutput: OnOutput = (stream, bytes) => server.onOutput(stream, bytes);
    const exitCode = await runInSandbox(
      {
        sandbox: this.#arguments(),
        seccomp: seccompFilter(process.arch as 'x64' | 'arm64'),
        program: [PLACES.node, '--import', `${PLACES.inside}/listen.mjs`, 'server.js'],
        uid: sandbox.owner?.uid ?? null,
        doors: group?.doors ?? [],
        limits: computeServerLimits({ ...limits, diskFiles: 0 }, group !== null, making.hardLimits),
        onStarted,
      },
      onOutput,
      signal,
    );
    return { exitCode, exceeded: (await group?.exceeded()) ?? null };
  }

  #arguments(): readonly string[] {
    const { server, making, output, sandbox } = this;
    const folder = output.start === '.' ? PLACES.app : `${PLACES.app}/${output.start}`;
    const env = {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      LANG: 'C.UTF-8',
      ...server.env,
      ...buildProxyEnvironment(server.hosts),
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/tmp',
      HOSTNAME: '127.0.0.1',
      PORT,
    };
    return [
      ...emptyMachine(making.etc),
      ...['/run', '/opt', '/srv', '/var'].flatMap((path) => ['--dir', path]),
      ...temporary(server.limits.diskBytes, '/tmp'),
      ...['--symlink', '../tmp', '/var/tmp'],
      ...readOnly(output.folder, PLACES.app),
      ...temporary(server.limits.diskBytes, `${folder}/.next/cache`),
      ...readOnly(making.node, PLACES.node),
      ...readOnly(making.preload, `${PLACES.inside}/listen.mjs`),
      ...['--bind', sandbox.sockets, PLACES.sockets],
      ...(sandbox.proxy === null ? [] : readOnly(sandbox.proxy, PLACES.proxy)),
      ...closing(folder, env, SECCOMP),
    ].map(whole);
  }
}
