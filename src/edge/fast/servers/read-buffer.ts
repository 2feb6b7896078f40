/** In bytes: of a connection that waits, and of one that passes on a large body. */
const SMALL = 16 * 1_024;
const LARGE = 64 * 1_024;

/** Buffers for large bodies that are not used just now; at most so many are kept. */
const spare: Buffer[] = [];
const SPARE_UP_TO = 64;

/** What one connection is read into, again and again: as long as nothing holds what was read before. */
export class ReadBuffer {
  #bytes: Buffer = Buffer.allocUnsafeSlow(SMALL);
  /** Whether the last read filled it, so that more waits. */
  isFull = false;
  /** Whether bytes in it are still to be sent. */
  isHeld = false;

  /**
   * What the next read goes into. `isIdle`: nothing is asked for a while; `isPaused`: nothing is read while it is held.
   */
  next(isIdle: boolean, isPaused: boolean): Buffer {
    if (isPaused) return this.#bytes;
    const isLarge = this.#bytes.length === LARGE;
    const length = isIdle ? SMALL : this.isFull || isLarge ? LARGE : SMALL;
    if (!this.isHeld && length === this.#bytes.length) return this.#bytes;
    if (!this.isHeld && isLarge && spare.length < SPARE_UP_TO) spare.push(this.#bytes);
    this.isHeld = false;
    this.#bytes = (length === LARGE ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(length);
    return this.#bytes;
  }
}
