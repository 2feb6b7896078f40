import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { doneWithout } from '../../../kernel/faults/ignored-fault.js';
import { answers } from '../supervise/first-answer.js';
import type { SupervisedUse } from '../supervise/supervisor.js';

/** Until it is noticed that a program has ended, and how often it is looked. Milliseconds. */
const GONE_UP_TO_MS = 5_000;
const LOOK_AGAIN_MS = 50;
/** For so long after a request came to nothing it is asked whether it answers, before it is handed the next one. Milliseconds. */
const DOUBTED_MS = 1_000;

/** A use by another process, which lasts longer than the process of the program: that may crash and be started again. */
export class HeldUse {
  #isOver = false;
  #isSilent = false;
  #renewing: Promise<void> | null = null;
  /** By `performance.now()`. */
  #doubtedUntil = 0;
  #asking: Promise<boolean> | null = null;

  /** `host` is that of the request that asks whether it answers. */
  constructor(
    private use: SupervisedUse,
    private readonly host: string,
    private readonly useAgain: () => Promise<SupervisedUse>,
  ) {}

  /** A connection to the program, which is waited for where it is started again; null where it is not. */
  async connect(): Promise<Socket | null> {
    for (const until = performance.now() + GONE_UP_TO_MS; ; await delay(LOOK_AGAIN_MS)) {
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

  /** A request came to nothing. */
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

  /** A process that ends may take connections until it has: what is sent by one would be lost with it. */
  async #isPossiblyDying({ socketPath }: SupervisedUse): Promise<boolean> {
    if (performance.now() > this.#doubtedUntil) return false;
    this.#asking ??= answers(socketPath, this.host, AbortSignal.timeout(DOUBTED_MS)).finally(() => {
      this.#asking = null;
    });
    if (!(await this.#asking)) return performance.now() <= this.#doubtedUntil;
    this.#doubtedUntil = 0;
    return false;
  }

  async #renew(): Promise<void> {
    const next = await this.useAgain().catch(doneWithout);
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
