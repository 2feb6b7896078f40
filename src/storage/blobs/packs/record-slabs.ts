import { hash } from 'node:crypto';
import { headerBytes, type PackRecord, writeHeader } from './pack.format.js';
import { type Slab, type SlabPool, slabBytes } from './slab-pool.js';

const smallest = 16 * 1024;

/** A record and the slab that its bytes are in, to be released when they are not needed any more. */
export type SlabRecord = PackRecord & { readonly slab: Slab };

/**
 * Makes records, many of them in one allocation: a deploy of a thousand files would else keep the garbage collector
 * busier than anything else. Slabs grow with what is asked for, so that a single page takes little.
 */
export class RecordSlabs {
  #slab: Slab | undefined;
  #used = 0;
  #next = smallest;

  constructor(private readonly pool: SlabPool) {}

  /** Copies the content: the record does not change when its source does. */
  record(content: readonly Uint8Array[], length: number): SlabRecord {
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

  /** The last record is not needed, and its room is used again. */
  undo({ bytes, slab }: SlabRecord): void {
    this.#used -= bytes.length;
    slab.release();
  }

  /** No more records are made. */
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
