import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import type { SupervisedUse } from '../supervise/supervisor.js';
import { hasResponse } from '../supervise/wait-for-response.js';

/**
 * A crashed server is restarted. Until then, a new connection is attempted every LOOK_AGAIN_MS, for up to
 * MAX_GONE_MS.
 */
const MAX_GONE_MS = 5_000;
const LOOK_AGAIN_MS = 50;
/** Time after a failed request during which each new connection waits for a health check of the server. */
const DOUBTED_MS = 1_000;

/** Lets another process use a server of this process. Continues if the server crashes and is restarted. */
export class RemoteServerUse {
  #isOver = false;
  #isSilent = false;
  #renewing: Promise<void> | null = null;
  /** Time (`performance.now()`) until which each new connection waits for a health check of the server. */
  #doubtedUntil = 0;
  #asking: Promise<boolean> | null = null;

  /** `host` is the Host header of health checks. */
  constructor(
    private use: SupervisedUse,
    private readonly host: string,
    private readonly useAgain: () => Promise<SupervisedUse>,
  ) {}

  /** Connects to the server, waiting if it is being restarted. Resolves to null if the restart takes too long. */
  async connect(): Promise<Socket | null> {
    for (const until = performance.now() + MAX_GONE_MS; ; await delay(LOOK_AGAIN_MS)) {
      const { use } = this;
      const socket = (await this.#isPossiblyDying(use)) ? null : await connected(use.socketPath);
      if (socket !== null || performance.now() > until || this.#isOver) return socket;
      if (this.use === use)
        this.#renewing ??= this.#renew().finally(() => {
          this.#renewing = null;
        });
      await this.#renewing;
    }
  }

  failed(): void {
    this.#doubtedUntil = performance.now() + DOUBTED_MS;
    this.use.failed();
  }

  setSilent(isSilent: boolean): void {
    this.#isSilent = isSilent;
    this.use.setSilent(isSilent);
  }

  release(): void {
    this.#isOver = true;
    this.use.release('answered');
  }

  /**
   * Reports whether the server's process may be exiting. An exiting process may still accept connections, but requests
   * sent over them are lost.
   */
  async #isPossiblyDying({ socketPath }: SupervisedUse): Promise<boolean> {
    if (performance.now() > this.#doubtedUntil) return false;
    this.#asking ??= hasResponse(socketPath, this.host, AbortSignal.timeout(DOUBTED_MS)).finally(() => {
      this.#asking = null;
    });
    if (!(await this.#asking)) return performance.now() <= this.#doubtedUntil;
    this.#doubtedUntil = 0;
    return false;
  }

  async #renew(): Promise<void> {
    const next = await this.useAgain().catch(ignoreFault);
    if (!next) return;
    if (this.#isOver) return next.release('answered');
    this.use.release('answered');
    this.use = next;
    next.setSilent(this.#isSilent);
  }
}

function connected(path: string): Promise<Socket | null> {
  const { promise, resolve } = Promise.withResolvers<Socket | null>();
  const socket = connect({ path, allowHalfOpen: true });
  socket
    .once('error', () => resolve(null))
    .once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  return promise;
}
