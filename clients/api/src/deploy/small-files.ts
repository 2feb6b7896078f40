import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Files up to this size are read at once. */
export const SMALL_BYTES = 256 * 1024;

/** The average from which reads count as slow, as on a network, once there are enough of them to tell. */
const SLOW_MS = 1;
const ENOUGH = 20;
/** Timers and signals wait at most this long. */
const TURN_MS = 10;

/**
 * Reads small files in this thread: on a disk of this machine, that takes some microseconds, and a turn of another
 * thread takes longer, above all on a busy machine. Where reads turn out to be slow, `isSlow` says that several at the
 * same time in other threads are faster.
 */
export class SmallFiles {
  readonly #buffer = Buffer.allocUnsafe(SMALL_BYTES + 1);
  #files = 0;
  #ms = 0;
  #turnBegan = performance.now();

  get isSlow(): boolean {
    return this.#files >= ENOUGH && this.#ms / this.#files > SLOW_MS;
  }

  /** Passes the content to `use`, which must not keep it. At most one byte more than `SMALL_BYTES` is read. */
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
