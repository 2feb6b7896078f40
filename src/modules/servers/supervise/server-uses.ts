import { setTimeout as delay } from 'node:timers/promises';

export type UseOutcome = 'answered' | 'failed';

/** One use of a server, until it is released. */
export type ServerUse = {
  /** Ends the use. Further calls do nothing. */
  release(outcome: UseOutcome): void;
  /** A use that is silent does not count until it is no longer silent. */
  setSilent(isSilent: boolean): void;
};

/** So many uses in a row that came to nothing, and the program is asked whether it answers at all. */
const FAILURES_SEEN = 5;
/** Or one that came to nothing, where it has answered no request for so long. Milliseconds. */
const SILENT_MS = 30_000;

/** The uses of a program, and what came of them. */
export class ServerUses {
  #count = 0;
  #onIdle: (() => void)[] = [];
  #failuresInARow = 0;
  /** By `performance.now()`, as far as is known here. */
  #answeredAt = 0;
  /** By `performance.now()`: when a use last began or ended, or its start was asked for. */
  usedAt = performance.now();

  /** `onDoubt` is called where it is to be asked whether it answers. */
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

  /** It has answered. */
  answered(): void {
    this.#failuresInARow = 0;
    this.#answeredAt = performance.now();
  }

  /** A request has come to nothing. */
  failed(): void {
    this.#failuresInARow += 1;
    const isSilent = performance.now() - this.#answeredAt > SILENT_MS;
    if (this.#failuresInARow >= FAILURES_SEEN || isSilent) this.onDoubt();
  }

  /** It is being asked: what failed before is not counted again. */
  doubted(): void {
    this.#failuresInARow = 0;
  }

  /** Resolves when no visitor uses it, or the time is over. Milliseconds. */
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
