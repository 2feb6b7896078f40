import { IncomingMessage } from 'node:http';

/** Chunks up to this size are gathered, in bytes. */
const SMALL = 1_024;

/**
 * A request whose body may come in any number of tiny chunks (RFC 9112 section 7.1 has no least size). Those of one read
 * from the socket are handed on as one: each by itself takes a stream ten times as long as it takes the parser, so that
 * a body of one byte in a chunk held the process for a third of a second at a time.
 */
export class GatheringRequest extends IncomingMessage {
  #small: Buffer[] = [];
  #bytes = 0;

  /** Called by the parser for each chunk, and with null at the end. False asks it to wait until the body is read. */
  override push(chunk: Buffer | null): boolean {
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

  #handOn(): void {
    const [first, ...others] = this.#small;
    if (first === undefined) return;
    const chunk = others.length === 0 ? first : Buffer.concat(this.#small, this.#bytes);
    this.#small = [];
    this.#bytes = 0;
    if (!this.destroyed) super.push(chunk);
  }
}
