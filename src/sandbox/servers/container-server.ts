import type Docker from 'dockerode';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { formatBytes } from '../../kernel/output/quantities.js';
import { RunningServer, type ServerExit, type ServerToRun } from '../../kernel/ports/outside/server-runner.js';
import { passFrames } from '../container/output-frames.js';
import { describePorts, type PortSource, readListeningPorts } from './listening-ports.js';
import { PROXY_PORT } from './places.js';
import type { ServerSandbox } from './server-sandbox.js';

/** Exit code that shells report after SIGKILL. Only the kernel and this process send that signal. */
const KILLED = 137;

/** Kills and removes a container. Repeated calls are harmless. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  await container.kill().catch(alreadyGone);
  await container.remove({ force: true, v: true }).catch(alreadyGone);
}

/** A server that runs an image in a container with an isolated network. Some servers also have a helper container. */
export class ContainerServer extends RunningServer {
  #isStopped = false;
  readonly #output: ReturnType<Docker.Container['attach']>;
  override readonly ended: Promise<ServerExit>;
  readonly #cleaned: Promise<void>;

  /** Starts the server in a container that was already created. */
  constructor(
    private readonly server: ServerToRun,
    private readonly container: Docker.Container,
    private readonly beside: Docker.Container | null,
    private readonly sandbox: ServerSandbox,
    /** The port that the helper container connects to, or null if the server listens on the socket itself. */
    private readonly port: { readonly number: string; readonly source: PortSource } | null,
  ) {
    super();
    this.#output = container.attach({ stream: true, stdout: true, stderr: true });
    this.ended = this.#run();
    this.#cleaned = this.ended.then(() => this.#clean());
  }

  override socketPath(): Promise<string | null> {
    return this.sandbox.socket.find();
  }

  override async whySilent(): Promise<string | null> {
    if (this.port === null) return null;
    const found = await this.container.inspect().catch(alreadyGone);
    const listening = await readListeningPorts(found?.State.Pid ?? 0);
    // The helper container listens on PROXY_PORT in the same network.
    const own = listening?.filter((port) => port !== PROXY_PORT) ?? null;
    return describePorts(this.port.number, this.port.source, own);
  }

  override async memoryBytes(): Promise<number | null> {
    const stats = await this.container.stats({ stream: false }).catch(alreadyGone);
    return stats?.memory_stats?.usage ?? null;
  }

  override async stop(): Promise<void> {
    this.#isStopped = true;
    await this.container.kill().catch(alreadyGone);
    await this.#cleaned;
  }

  async #run(): Promise<ServerExit> {
    try {
      const output = await this.#output;
      await this.container.start();
      if (this.#isStopped) await this.container.kill().catch(alreadyGone);
      const passing = passFrames(output as AsyncIterable<Buffer> & typeof output, this.server.onOutput);
      const { StatusCode } = await this.container.wait();
      // Waits for the last output. It can arrive after the server’s exit, because a process that the server left behind
      // may keep the pipe open.
      await passing.catch(alreadyGone);
      return { exitCode: StatusCode, exceeded: await this.#exceeded(StatusCode) };
    } catch (error) {
      await this.server.onOutput('stderr', Buffer.from(`${reasonOf(error)}\n`));
      return { exitCode: 126, exceeded: null };
    }
  }

  async #clean(): Promise<void> {
    await removeContainer(this.container);
    if (this.beside) await removeContainer(this.beside);
    await this.sandbox.remove();
  }

  async #exceeded(exitCode: number) {
    if (this.#isStopped) return null;
    const found = await this.container.inspect().catch(alreadyGone);
    if (!found?.State.OOMKilled && exitCode !== KILLED) return null;
    return { what: 'memory' as const, limit: formatBytes(this.server.limits.memoryBytes) };
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 500);
