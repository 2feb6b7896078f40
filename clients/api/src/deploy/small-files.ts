import { closeSync, openSync, readSync } from 'node:fs';
import { DiskPace } from './disk-pace.js';

/** Files up to this size are read with one call. */
export const SMALL_BYTES = 256 * 1024;

/** Reads small files in this thread, into a buffer that is reused. */
export class SmallFiles {
  readonly #buffer = Buffer.allocUnsafe(SMALL_BYTES + 1);
  readonly #pace = new DiskPace();

  /** Whether it is faster to read several files at the same time in other threads. */
  get isSlow(): boolean {
    return this.#pace.isSlow;
  }

  /**
   * Reads a file, and passes its content to `use`, which must not keep it, because the buffer is reused. Reads at most
   * one byte more than `SMALL_BYTES`.
   */
  read<Result>(location: string, use: (content: Buffer) => Result): Promise<Result> {
    return this.#pace.run(() => use(this.#buffer.subarray(0, this.#readSync(location))));
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
