import { setTimeout as delay } from 'node:timers/promises';

export type UseOutcome = 'answered' | 'failed';

export type ServerUse = {
  /**
   * Ends the visitor's use of the server, and reports whether the server responded. Only the first call has an effect.
   */
  release(outcome: UseOutcome): void;
  /**
   * Sets whether the visitor's WebSocket is without traffic. A visitor without traffic does not keep the server awake.
   */
  setSilent(isSilent: boolean): void;
};

/** Number of consecutive failed requests after which the server's health is checked. */
const FAILURES_SEEN = 5;
/** If the server has not responded for this long, its health is checked after a single failed request. */
const SILENT_MS = 30_000;

export class PassiveHealth {
  #count = 0;
  #onIdle: (() => void)[] = [];
  #failuresInARow = 0;
  /** Time of the server's last known response (`performance.now()`). */
  #answeredAt = 0;
  /** Time when a visitor last started or stopped using the server, or requested its start (`performance.now()`). */
  usedAt = performance.now();

  /** `onDoubt` is called when the server's health should be checked. */
  constructor(private readonly onDoubt: () => void) {}

  get count(): number {
    return this.#count;
  }

  begin(): ServerUse {
    this.#enter();
    let state: 'counted' | 'silent' | 'over' = 'counted';
    return {
      release: (outcome) => {
        if (state === 'over') return;
        if (state === 'counted') this.#leave();
        state = 'over';
        if (outcome === 'failed') this.failed();
        else this.answered();
      },
      setSilent: (isSilent) => {
        if (state === 'over' || isSilent === (state === 'silent')) return;
        state = isSilent ? 'silent' : 'counted';
        if (isSilent) this.#leave();
        else this.#enter();
      },
    };
  }

  answered(): void {
    this.#failuresInARow = 0;
    this.#answeredAt = performance.now();
  }

  failed(): void {
    this.#failuresInARow += 1;
    const isSilent = performance.now() - this.#answeredAt > SILENT_MS;
    if (this.#failuresInARow >= FAILURES_SEEN || isSilent) this.onDoubt();
  }

  /** Records that a health check has begun. Earlier failures no longer count. */
  doubted(): void {
    this.#failuresInARow = 0;
  }

  /** Resolves when no visitor is using the server, or after `withinMs`. */
  async over(withinMs: number): Promise<void> {
    if (this.#count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle.push(resolve);
    await Promise.race([promise, delay(withinMs, undefined, { ref: false })]);
  }

  #enter(): void {
    this.#count += 1;
    this.usedAt = performance.now();
  }

  #leave(): void {
    this.#count -= 1;
    this.usedAt = performance.now();
    if (this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
