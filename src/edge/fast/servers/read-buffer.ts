/** Buffer sizes for an idle connection and for one that forwards a large body. */
const SMALL = 16 * 1_024;
const LARGE = 64 * 1_024;

const spare: Buffer[] = [];
const MAX_SPARE_BUFFERS = 64;

/** The buffer into which a connection reads. It is reused for the next read, unless its bytes are still needed. */
export class ReadBuffer {
  #bytes: Buffer = Buffer.allocUnsafeSlow(SMALL);
  /** Whether the last read filled the buffer, which means that more data is waiting. */
  isFull = false;
  /** Whether some of the buffer's bytes have not been sent yet. */
  isHeld = false;

  /**
   * Returns the buffer for the next read. `isIdle`: no request is in progress. `isPaused`: reading from the connection
   * is paused.
   */
  next(isIdle: boolean, isPaused: boolean): Buffer {
    if (isPaused) return this.#bytes;
    const isLarge = this.#bytes.length === LARGE;
    const length = isIdle ? SMALL : this.isFull || isLarge ? LARGE : SMALL;
    if (!this.isHeld && length === this.#bytes.length) return this.#bytes;
    if (!this.isHeld && isLarge && spare.length < MAX_SPARE_BUFFERS) spare.push(this.#bytes);
    this.isHeld = false;
    this.#bytes = (length === LARGE ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(length);
    return this.#bytes;
  }
}
