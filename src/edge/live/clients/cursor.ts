import type { Encoding } from '../frames/encodings.js';
import { BATCH, type LiveTail, type TailFollower } from '../stream-tail.js';
import type { Connection } from './connection.js';

/**
 * How long a revision that the stream has not reached is waited for, in milliseconds (docs/interface/streams.md,
 * "Resuming").
 */
const REACHED_WITHIN_MS = 2_000;

/** Events read from the source at once; more or fewer as they turn out to be small or large. */
const FIRST_PAGE = 64;
const LARGEST_PAGE = 256;

export type CursorOptions = {
  readonly tail: LiveTail;
  readonly connection: Connection;
  readonly encoding: Encoding;
  /** The last revision that the client has; 0 for none. */
  readonly after: number;
  /** Called when the client was told that nothing follows. The cursor has left the tail by then. */
  readonly onEnd: () => void;
  /** Checks whether the client may still watch, and ends the watching when it may not. Must not reject. */
  readonly recheckRights: () => Promise<void>;
};

/** A client's place in a stream: the last revision that was written to it. */
export class Cursor implements TailFollower {
  #after: number;
  /** In a log: how many were shown of what the tail has had. */
  #shown: number | null = null;
  #isReading = false;
  #isOver = false;
  #pageSize = FIRST_PAGE;
  #waiting: NodeJS.Timeout | undefined;

  constructor(private readonly options: CursorOptions) {
    this.#after = options.after;
  }

  /** From now on the client is written to. A stream that has ended may be over for it before this returns. */
  start(): void {
    const { tail, connection, encoding } = this.options;
    tail.join(this);
    if (encoding.opening) connection.write(encoding.opening);
    this.advance();
  }

  advance(): void {
    const { tail, connection, encoding } = this.options;
    const { head } = tail;
    if (head === null || this.#isReading || this.#isOver) return;
    if (this.#after === 0) this.#after = tail.beginning;
    if (this.#after > head) {
      this.#waitForRevision();
      return;
    }
    this.#waitNoMore();

    while (connection.isReady && this.#after < head) {
      const batch = tail.batch(encoding, this.#after);
      if (!batch && this.#skip()) continue;
      if (!batch) {
        void this.#readFromSource();
        return;
      }
      this.#after = batch.to;
      this.#shown = batch.shown;
      connection.write(batch.bytes);
    }
    if (this.#after === tail.final && connection.isReady) this.#end();
  }

  recheckRights(): Promise<void> {
    return this.options.recheckRights();
  }

  /** Ends the watching; the client is not told. */
  leave(): void {
    this.#waitNoMore();
    this.#isOver = true;
    this.options.tail.leave(this);
  }

  /** Reads one page, then goes on: from the ring once that reaches back to the cursor. A page is dropped when the client is full. */
  async #readFromSource(): Promise<void> {
    const { tail, connection, encoding } = this.options;
    this.#isReading = true;
    const isWanted = () => !this.#isOver && connection.isReady;
    const batch = await tail.older(encoding, this.#after, this.#pageSize, isWanted);
    this.#isReading = false;
    if (this.#isOver) return;
    if (batch) {
      const perEvent = batch.bytes.length / (batch.to - this.#after);
      this.#pageSize = Math.min(LARGEST_PAGE, Math.max(1, Math.floor(BATCH / perEvent)));
      this.#after = batch.to;
      this.#shown = null;
      connection.write(batch.bytes);
    } else if (isWanted()) return connection.cut(); // the stream was dropped from the source
    this.advance();
  }

  /** Leaves out of a log what the ring has lost since the client was written to last; false where it is to be read. */
  #skip(): boolean {
    const { tail, connection, encoding } = this.options;
    const gap = tail.gap(this.#shown);
    if (gap === null || !encoding.skipped) return false;
    const { count, to, shown } = gap;
    if (count > 0) connection.write(encoding.skipped({ count, after: this.#after, before: to + 1 }));
    this.#after = to;
    this.#shown = shown;
    return true;
  }

  /** The client may come from another process, which is a moment ahead of this one. */
  #waitForRevision() {
    const { tail, connection, encoding } = this.options;
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      // The round that follows an event may be a moment later than this.
      if (this.#after <= (tail.head ?? 0)) return;
      this.#after = 0;
      connection.write(encoding.reset);
      this.advance();
    }, REACHED_WITHIN_MS).unref();
  }

  #waitNoMore() {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  #end() {
    const { connection, encoding, onEnd } = this.options;
    connection.write(encoding.end);
    this.leave();
    onEnd();
  }
}
