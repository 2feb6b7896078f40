import type { Connection } from './connection.js';
import type { Encoding } from './encodings.js';
import { BATCH, type StreamTail, type TailFollower } from './stream-tail.js';

/** How long an id that the stream has not reached is waited for, in milliseconds (docs/interface.md, "Resuming"). */
const REACHED_WITHIN_MS = 2_000;

/** Events read from the store at once; more or fewer as they turn out to be small or large. */
const FIRST_PAGE = 64;
const LARGEST_PAGE = 256;

/** A client's cursor in a stream: the last revision that was written to it. */
export class Cursor implements TailFollower {
  #isReading = false;
  #isOver = false;
  #pageSize = FIRST_PAGE;
  #waiting: NodeJS.Timeout | null = null;

  constructor(
    private readonly tail: StreamTail,
    private readonly connection: Connection,
    private readonly encoding: Encoding,
    private after: number,
    /** Nothing follows, and the client was told. It has left the channel. */
    private readonly ended: () => void,
    /** Finds out whether the client may still watch, and leaves when not. It does not reject. */
    readonly askAgain: () => Promise<void>,
  ) {}

  /** From now on the client is written to; it may be over before this returns. */
  start(): void {
    this.tail.join(this);
    if (this.encoding.opening) this.connection.write(this.encoding.opening);
    this.advance();
  }

  /** Writes what has come since, as far as the client takes it. */
  advance(): void {
    const { head } = this.tail;
    if (head === null || this.#isReading || this.#isOver) return;
    if (this.after > head) {
      this.#waitForIt();
      return;
    }
    if (this.#waiting) clearTimeout(this.#waiting);
    this.#waiting = null;

    while (this.connection.isReady && this.after < head) {
      const batch = this.tail.batch(this.encoding, this.after);
      if (!batch) {
        void this.#readOn();
        return;
      }
      this.after = batch.to;
      this.connection.write(batch.bytes);
    }
    if (this.after === this.tail.final && this.connection.isReady) this.#end();
  }

  /** Ends the watching without a word. */
  leave(): void {
    if (this.#waiting) clearTimeout(this.#waiting);
    this.#isOver = true;
    this.tail.leave(this);
  }

  /** From the store, until the ring reaches back to the cursor. A page is let go when the client is full. */
  async #readOn(): Promise<void> {
    this.#isReading = true;
    const isWanted = () => !this.#isOver && this.connection.isReady;
    const batch = await this.tail.older(this.encoding, this.after, this.#pageSize, isWanted);
    this.#isReading = false;
    if (this.#isOver) return;
    if (batch) {
      const each = batch.bytes.length / (batch.to - this.after);
      this.#pageSize = Math.min(LARGEST_PAGE, Math.max(1, Math.floor(BATCH / each)));
      this.after = batch.to;
      this.connection.write(batch.bytes);
    } else if (isWanted()) return this.connection.cut(); // the store has let go of the stream
    this.advance();
  }

  /** An id that the stream has not reached may be one of another server, a moment ahead of this one. */
  #waitForIt() {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = null;
      if (this.#isOver || this.after <= (this.tail.head ?? 0)) return;
      this.after = 0;
      this.connection.write(this.encoding.reset);
      this.advance();
    }, REACHED_WITHIN_MS).unref();
  }

  #end() {
    this.connection.write(this.encoding.end);
    this.leave();
    this.ended();
  }
}
