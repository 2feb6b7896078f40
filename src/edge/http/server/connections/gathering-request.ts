import { IncomingMessage } from 'node:http';
import { headerField } from '../header-field.js';

/** Chunks up to this size are gathered, in bytes. */
const SMALL = 1_024;

/**
 * A chunked body may begin with so many chunks of any size; then they have to have so many bytes on average. The parser
 * takes two microseconds for a chunk of one byte, and six bytes of the connection.
 */
const FREE_CHUNKS = 4_096;
const LEAST_ON_AVERAGE = 16;

/**
 * A request whose body may come in tiny chunks (RFC 9112 section 7.1 has no least size). Those of one read from the
 * socket are handed on as one: each by itself takes a stream ten times as long as it takes the parser, so that a body of
 * one byte in a chunk held the process for a third of a second at a time. A body of nothing but such chunks is cut.
 */
export class GatheringRequest extends IncomingMessage {
  #small: Buffer[] = [];
  #bytes = 0;
  #chunksSoFar = 0;
  #bytesSoFar = 0;

  /** Called by the parser for each chunk, and with null at the end. False asks it to wait until the body is read. */
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
    // No tick and no microtask: the parser runs those after each chunk.
    if (this.#small.length === 0) setImmediate(() => this.#handOn());
    this.#small.push(chunk);
    this.#bytes += chunk.length;
    return this.readableLength + this.#bytes < this.readableHighWaterMark;
  }

  #isDust(length: number): boolean {
    this.#bytesSoFar += length;
    if (++this.#chunksSoFar <= FREE_CHUNKS || this.#bytesSoFar >= this.#chunksSoFar * LEAST_ON_AVERAGE) return false;
    // Without chunks these are packets, which are as small as the network has made them.
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
