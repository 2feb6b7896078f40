import { hash } from 'node:crypto';
import { headerBytes, type PackRecord, writeHeader } from './pack.format.js';
import { type Slab, type SlabPool, slabBytes } from './slab-pool.js';

const smallest = 16 * 1024;

/** A record, and the slab that contains its bytes. The slab must be released when the bytes are no longer needed. */
export type PendingRecord = PackRecord & { readonly slab: Slab };

/**
 * Allocates memory for many records at a time, which relieves the garbage collector. Slabs grow with demand, so a
 * deploy of a single page needs little memory.
 */
export class RecordSlabs {
  #slab: Slab | undefined;
  #used = 0;
  #next = smallest;

  constructor(private readonly pool: SlabPool) {}

  /** Creates a record from a copy of the content, so that later changes to the source do not affect it. */
  record(content: readonly Uint8Array[], length: number): PendingRecord {
    const { slab, bytes } = this.#allocate(headerBytes + length);
    let at = headerBytes;
    for (const piece of content) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const sha256 = hash('sha256', bytes.subarray(headerBytes));
    writeHeader(bytes, { sha256, length });
    return { sha256, bytes, slab };
  }

  /** Discards the most recent record and frees its space for the next one. */
  undo({ bytes, slab }: PendingRecord): void {
    this.#used -= bytes.length;
    slab.release();
  }

  /** Releases the current slab. No more records can be created. */
  end(): void {
    this.#slab?.release();
    this.#slab = undefined;
  }

  #allocate(bytes: number) {
    if (!this.#slab || this.#used + bytes > this.#slab.bytes.length) {
      this.end();
      this.#slab = this.pool.acquire(Math.max(bytes, this.#next));
      this.#used = 0;
      this.#next = Math.min(slabBytes, 4 * this.#next);
    }
    const slab = this.#slab;
    const taken = slab.bytes.subarray(this.#used, this.#used + bytes);
    this.#used += bytes;
    slab.retain();
    return { slab, bytes: taken };
  }
}
