import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Files up to this size are read with one call. */
export const SMALL_BYTES = 256 * 1024;

/** Reads that take longer than this on average are slow, as on a network file system. */
const SLOW_MS = 1;
/** Number of reads after which the average is meaningful. */
const ENOUGH = 20;
/** Synchronous reads delay timers and signals by at most this time. */
const TURN_MS = 10;

/**
 * Reads small files synchronously. On a local disk, a read takes some microseconds. Passing it to another thread takes
 * longer, especially on a busy machine. `isSlow` becomes true if reads turn out to be slow. It is then faster to read
 * several files at the same time in other threads.
 */
export class SmallFiles {
  readonly #buffer = Buffer.allocUnsafe(SMALL_BYTES + 1);
  #files = 0;
  #ms = 0;
  #turnBegan = performance.now();

  get isSlow(): boolean {
    return this.#files >= ENOUGH && this.#ms / this.#files > SLOW_MS;
  }

  /** Passes the content to `use`, which must not keep it. Reads at most one byte more than `SMALL_BYTES`. */
  async read<Result>(location: string, use: (content: Buffer) => Result): Promise<Result> {
    const began = performance.now();
    if (began - this.#turnBegan > TURN_MS) {
      await nextTurn();
      this.#turnBegan = performance.now();
    }
    const result = use(this.#buffer.subarray(0, this.#readSync(location)));
    this.#files += 1;
    this.#ms += performance.now() - Math.max(began, this.#turnBegan);
    return result;
  }

  #readSync(location: string): number {
    const file = openSync(location, 'r');
    try {
      let length = 0;
      for (let read = -1; read !== 0 && length < this.#buffer.length; length += read)
        read = readSync(file, this.#buffer, length, this.#buffer.length - length, null);
      return length;
    } finally {
      closeSync(file);
    }
  }
}
