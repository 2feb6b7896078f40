import { IncomingMessage } from 'node:http';
import { headerField } from '../header-field.js';

/** Chunks up to this size, in bytes, are collected before they are passed on. */
const SMALL = 1_024;

/**
 * A chunked body may begin with this many chunks of any size. After that, the average chunk must have a minimum size,
 * because the parser needs two microseconds for a chunk, even of one byte.
 */
const FREE_CHUNKS = 4_096;
const LEAST_ON_AVERAGE = 16;

/**
 * A request whose body may arrive in tiny chunks (RFC 9112 section 7.1 sets no minimum size). Small chunks from one
 * read of the socket are passed on together. Passing on each chunk separately would cost ten times as much as parsing
 * it, and a body of one-byte chunks would block the process for a third of a second at a time. A body that consists
 * only of tiny chunks is cut off.
 */
export class GatheringRequest extends IncomingMessage {
  #small: Buffer[] = [];
  #bytes = 0;
  #chunksSoFar = 0;
  #bytesSoFar = 0;
  #beforeRead: (() => void) | null = null;

  /**
   * Calls `action` once, before the body is first read. Discarding the body does not count as reading, so that the
   * client is not asked to send an unneeded body.
   */
  beforeRead(action: () => void): void {
    this.#beforeRead = action;
  }

  override _read(size: number): void {
    const action = this.#beforeRead;
    if (action && this.listenerCount('data') + this.listenerCount('readable') > 0) {
      this.#beforeRead = null;
      action();
    }
    super._read(size);
  }

  /** Called by the parser for each chunk, and with null at the end. Returns false to make the parser wait. */
  override push(chunk: Buffer | null): boolean {
    if (this.destroyed) return false;
    if (chunk !== null && this.#isDust(chunk.length)) {
      this.destroy();
      return false;
    }
    if (chunk === null || chunk.length > SMALL) {
      this.#handOn();
      return super.push(chunk);
    }
    // Don’t use `nextTick` or a microtask, because their callbacks run after each chunk.
    if (this.#small.length === 0) setImmediate(() => this.#handOn());
    this.#small.push(chunk);
    this.#bytes += chunk.length;
    return this.readableLength + this.#bytes < this.readableHighWaterMark;
  }

  #isDust(length: number): boolean {
    this.#bytesSoFar += length;
    if (++this.#chunksSoFar <= FREE_CHUNKS || this.#bytesSoFar >= this.#chunksSoFar * LEAST_ON_AVERAGE) return false;
    // Reject small pieces only in chunked bodies. In other bodies, the pieces are network packets, and the client does
    // not choose their size.
    return headerField(this.rawHeaders, 'transfer-encoding') !== undefined;
  }

  #handOn(): void {
    const [first, ...others] = this.#small;
    if (first === undefined) return;
    const chunk = others.length === 0 ? first : Buffer.concat(this.#small, this.#bytes);
    this.#small = [];
    this.#bytes = 0;
    if (!this.destroyed) super.push(chunk);
  }
}
