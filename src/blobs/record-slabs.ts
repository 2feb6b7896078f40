import { hash } from 'node:crypto';
import { headerBytes, type PackRecord, writeHeader } from './pack.format.js';

const smallest = 16 * 1024;
const largest = 1024 * 1024;

/**
 * Makes records, many of them in one allocation: a deploy of a thousand files would else keep the garbage collector
 * busier than anything else. Slabs grow with what is asked for, so that a single page takes little.
 */
export class RecordSlabs {
  #slab: Buffer = Buffer.alloc(0);
  #used = 0;
  #next = smallest;

  /** Copies the content: the record does not change when its source does. */
  record(content: readonly Uint8Array[], length: number): PackRecord {
    const bytes = this.#take(headerBytes + length);
    let at = headerBytes;
    for (const piece of content) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const sha256 = hash('sha256', bytes.subarray(headerBytes));
    writeHeader(bytes, { sha256, length });
    return { sha256, bytes };
  }

  /** The last record is not needed, and its room is used again. */
  undo({ bytes }: PackRecord): void {
    this.#used -= bytes.length;
  }

  #take(bytes: number): Buffer {
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(bytes, this.#next));
      this.#used = 0;
      this.#next = Math.min(largest, 4 * this.#next);
    }
    const taken = this.#slab.subarray(this.#used, this.#used + bytes);
    this.#used += bytes;
    return taken;
  }
}
