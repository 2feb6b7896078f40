import type { Line } from './connection.js';
import type { Encoding } from './encodings.js';
import { BATCH, type Channel, type Follower } from './stream-tail.js';

/** How long an id that the stream has not reached is waited for, in milliseconds (contract, section 7). */
const REACHED_WITHIN_MS = 2_000;

/** Events read from the store at once; more or fewer as they turn out to be small or large. */
const FIRST_PAGE = 64;
const LARGEST_PAGE = 256;

/** A client's cursor in a stream: the last revision that was written to it. */
export class Watcher implements Follower {
  #isReading = false;
  #isOver = false;
  #pageSize = FIRST_PAGE;
  #waiting: NodeJS.Timeout | null = null;

  constructor(
    private readonly channel: Channel,
    private readonly line: Line,
    private readonly encoding: Encoding,
    private after: number,
    /** Nothing follows, and the client was told. It has left the channel. */
    private readonly ended: () => void,
    /** Finds out whether the client may still watch, and leaves when not. It does not reject. */
    readonly askAgain: () => Promise<void>,
  ) {}

  /** From now on the client is written to; it may be over before this returns. */
  start(): void {
    this.channel.join(this);
    if (this.encoding.opening) this.line.write(this.encoding.opening);
    this.advance();
  }

  /** Writes what has come since, as far as the client takes it. */
  advance(): void {
    const { head } = this.channel;
    if (head === null || this.#isReading || this.#isOver) return;
    if (this.after > head) {
      this.#waitForIt();
      return;
    }
    if (this.#waiting) clearTimeout(this.#waiting);
    this.#waiting = null;

    while (this.line.isReady && this.after < head) {
      const batch = this.channel.batch(this.encoding, this.after);
      if (!batch) {
        void this.#readOn();
        return;
      }
      this.after = batch.to;
      this.line.write(batch.bytes);
    }
    if (this.after === this.channel.final && this.line.isReady) this.#end();
  }

  /** Ends the watching without a word. */
  leave(): void {
    if (this.#waiting) clearTimeout(this.#waiting);
    this.#isOver = true;
    this.channel.leave(this);
  }

  /** From the store, until the ring reaches back to the cursor. A page is let go when the client is full. */
  async #readOn(): Promise<void> {
    this.#isReading = true;
    const isWanted = () => !this.#isOver && this.line.isReady;
    const batch = await this.channel.older(this.encoding, this.after, this.#pageSize, isWanted);
    this.#isReading = false;
    if (this.#isOver) return;
    if (batch) {
      const each = batch.bytes.length / (batch.to - this.after);
      this.#pageSize = Math.min(LARGEST_PAGE, Math.max(1, Math.floor(BATCH / each)));
      this.after = batch.to;
      this.line.write(batch.bytes);
    } else if (isWanted()) return this.line.cut(); // the store has let go of the stream
    this.advance();
  }

  /** An id that the stream has not reached may be one of another server, a moment ahead of this one. */
  #waitForIt() {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = null;
      if (this.#isOver || this.after <= (this.channel.head ?? 0)) return;
      this.after = 0;
      this.line.write(this.encoding.reset);
      this.advance();
    }, REACHED_WITHIN_MS).unref();
  }

  #end() {
    this.line.write(this.encoding.end);
    this.leave();
    this.ended();
  }
}
