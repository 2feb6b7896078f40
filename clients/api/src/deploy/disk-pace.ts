import { setImmediate as nextTurn } from 'node:timers/promises';

/** Average duration from which operations count as slow, as on a network file system. */
const SLOW_MS = 1;
/** Number of operations from which the average is meaningful. */
const ENOUGH = 20;
/** Timers and signals wait at most this long. */
const TURN_MS = 10;

/**
 * Runs small disk operations in this thread. On a local disk, each takes a few microseconds, and handing it to another
 * thread takes longer, especially on a busy machine. If operations turn out to be slow, `isSlow` becomes true: several
 * at the same time in other threads are then faster.
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
