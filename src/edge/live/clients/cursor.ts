import type { Encoding } from '../frames/encodings.js';
import { BATCH, type LiveTail, type TailFollower } from '../stream-tail.js';
import type { Connection } from './connection.js';

/** How long to wait for a revision that the stream has not reached (docs/interface/streams.md, "Resuming"). */
const REACHED_WITHIN_MS = 2_000;

/** Number of events in the first read from the source. The number for later reads depends on the size of the events. */
const FIRST_PAGE = 64;
const MAX_PAGE_EVENTS = 256;

export type CursorOptions = {
  readonly tail: LiveTail;
  readonly connection: Connection;
  readonly encoding: Encoding;
  /** The last revision that the client already has, or 0 if it has none. */
  readonly after: number;
  /** Called after the end of the stream was sent to the client and the cursor has stopped following the stream. */
  readonly onEnd: () => void;
  /** Unsubscribes the client if it may no longer watch. Must not reject. */
  readonly recheckRights: () => Promise<void>;
};

/** A client's position in a stream: the last revision that was written to the client. */
export class Cursor implements TailFollower {
  #after: number;
  /**
   * For a log: the number of events up to this position that clients see, counted from where this process began to
   * read. Null if unknown.
   */
  #shown: number | null = null;
  #isReading = false;
  #isOver = false;
  #pageSize = FIRST_PAGE;
  #waiting: NodeJS.Timeout | undefined;

  constructor(private readonly options: CursorOptions) {
    this.#after = options.after;
  }

  /**
   * Starts to write to the client. If the stream has already ended, `onEnd` may be called before this method returns.
   */
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

  /** Stops watching without notifying the client. */
  leave(): void {
    this.#waitNoMore();
    this.#isOver = true;
    this.options.tail.leave(this);
  }

  /** Reads one page from the source, then advances. Discards the page if the client's socket is full. */
  async #readFromSource(): Promise<void> {
    const { tail, connection, encoding } = this.options;
    this.#isReading = true;
    const isWanted = () => !this.#isOver && connection.isReady;
    const batch = await tail.older(encoding, this.#after, this.#pageSize, isWanted);
    this.#isReading = false;
    if (this.#isOver) return;
    if (batch) {
      const perEvent = batch.bytes.length / (batch.to - this.#after);
      this.#pageSize = Math.min(MAX_PAGE_EVENTS, Math.max(1, Math.floor(BATCH / perEvent)));
      this.#after = batch.to;
      this.#shown = null;
      connection.write(batch.bytes);
    } else if (isWanted()) return connection.cut(); // The source no longer has the stream.
    this.advance();
  }

  /**
   * Skips the events of a log that the ring buffer has dropped. Returns false if they must be read from the source
   * instead.
   */
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

  /**
   * Waits for a revision that this process has not read yet. Another process that is slightly ahead may have sent that
   * revision to the client.
   */
  #waitForRevision() {
    const { tail, connection, encoding } = this.options;
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined;
      // The stream may have reached this revision even though the cursor has not been advanced yet.
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
