import { setImmediate as nextTurn } from 'node:timers/promises';

/** Operations that take longer than this on average are considered slow, as on a network file system. */
const SLOW_MS = 1;
/** Minimum number of operations for a meaningful average. */
const ENOUGH = 20;
/** Timers and signal handlers are delayed by at most this time. */
const TURN_MS = 10;

/**
 * Runs small disk operations in this thread, and measures them. On a local disk, an operation takes a few microseconds,
 * and passing it to another thread takes longer, especially on a busy machine. If operations turn out to be slow,
 * `isSlow` becomes true: it is then faster to run several at the same time in other threads.
 */
export class DiskPace {
  #count = 0;
  #ms = 0;
  #turnBegan = performance.now();

  get isSlow(): boolean {
    return this.#count >= ENOUGH && this.#ms / this.#count > SLOW_MS;
  }

  async run<Result>(work: () => Result): Promise<Result> {
    if (performance.now() - this.#turnBegan > TURN_MS) {
      await nextTurn();
      this.#turnBegan = performance.now();
    }
    const began = performance.now();
    const result = work();
    this.#count += 1;
    this.#ms += performance.now() - began;
    return result;
  }
}
