import { createHash } from 'node:crypto';
import type { Blob } from '../blob-store.js';
import type { LocatedRecord } from '../index/record-location.js';
import { headerBytes, writeHeader } from './pack.format.js';
import type { PackFile } from './pack-file.js';

const writeAtOnce = 1024 * 1024;

/**
 * Writes a record whose content arrives in pieces, buffering about 1 MiB. The header stays zero until `keep`, so that
 * an unfinished record is not mistaken for a complete one.
 */
export class RecordWriter {
  readonly #hash = createHash('sha256');
  readonly #header = Buffer.alloc(headerBytes);
  readonly #start: number;
  #waiting: Uint8Array[] = [this.#header];
  #waitingBytes = 0;
  #size = 0;

  constructor(private readonly pack: PackFile) {
    this.#start = pack.length;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece);
    this.#size += piece.length;
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes >= writeAtOnce) await this.#flush();
  }

  end(): Blob {
    return { sha256: this.#hash.digest('hex'), size: this.#size };
  }

  /** Writes the header, which completes the record. The record is not durable yet. */
  async keep({ sha256, size }: Blob): Promise<LocatedRecord> {
    writeHeader(this.#header, { sha256, length: size });
    const headerIsWritten = this.#waiting[0] !== this.#header;
    await this.#flush();
    if (headerIsWritten) await this.pack.patch(this.#start, this.#header);
    return { sha256, pack: this.pack.id, start: this.#start, length: size };
  }

  async discard(): Promise<void> {
    await this.pack.truncate(this.#start);
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.pack.append(waiting);
  }
}
