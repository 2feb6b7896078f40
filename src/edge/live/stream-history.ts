import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Recorded, StoreUnavailableError } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { buildFrames, type Frame } from './frames/frame.js';
import type { LiveSource, SourceHead, SourceItem } from './live-source.js';
import type { LiveStream } from './live-stream.js';

/** Maximum number of simultaneous reads. More would only wait in the database, each with a page in memory. */
const READS_AT_ONCE = 8;

const RETRY_MS = 250;

/** Greater than the length of any stream, so a read after it returns only the head, without events. */
export const BEYOND = 2_147_483_647;

const reading = new BackgroundTask('read_streams_for_clients');

/**
 * Reads events that are no longer in a ring buffer, for up to eight clients at a time. Retries if the source is
 * unavailable.
 */
export class StreamHistory<Item extends SourceItem = Recorded> {
  readonly #log = new Logger('Live streams');
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(private readonly source: LiveSource<Item>) {}

  /** Returns about `limit` items after `revision`. Returns none once `isWanted` returns false. Never rejects. */
  page(stream: string, revision: number, limit: number, isWanted: () => boolean): Promise<readonly Item[]> {
    return this.#retry(() => this.source.page(stream, revision, limit), isWanted).then((items) => items ?? []);
  }

  /**
   * Returns the frames of about `limit` items after `revision`, including the related data that `prepare` loads.
   * Returns none once `isWanted` returns false. Never rejects.
   */
  frames(
    stream: LiveStream<Item>,
    revision: number,
    limit: number,
    isWanted: () => boolean,
  ): Promise<readonly Frame[]> {
    const read = async () => buildFrames(stream, await this.source.page(stream.stream, revision, limit));
    return this.#retry(read, isWanted).then((frames) => frames ?? []);
  }

  /** Returns the head of the stream, or undefined once `isWanted` returns false. Never rejects. */
  head(stream: string, isWanted: () => boolean): Promise<SourceHead | undefined> {
    return this.#retry(async () => (await this.source.read(stream, BEYOND)).head, isWanted);
  }

  /**
   * Calls `recheck` after each item in the stream's `rightsStream` that can end a client's right to watch, until
   * `signal` aborts. Also calls it once at the start, because such an item may have been stored after the last check.
   * Does nothing if the stream has no `rightsStream`. Never rejects.
   */
  async watchRights(
    { rightsStream, rightsTypes }: Pick<LiveStream<Item>, 'rightsStream' | 'rightsTypes'>,
    signal: AbortSignal,
    recheck: () => void,
  ): Promise<void> {
    if (rightsStream === undefined) return;
    const head = await this.head(rightsStream, () => !signal.aborted);
    if (!head) return;
    recheck();
    try {
      for await (const items of this.source.watch(rightsStream, head.revision, signal))
        if (items.some(({ type }) => rightsTypes?.has(type))) recheck();
    } catch (error) {
      reading.failed(error);
      this.#log.error(`Could not follow ${rightsStream}; rights are only checked at each heartbeat`, error);
    }
  }

  async #retry<Answer>(read: () => Promise<Answer>, isWanted: () => boolean): Promise<Answer | undefined> {
    while (isWanted()) {
      await this.#takeTurn();
      try {
        if (isWanted()) {
          const answer = await read();
          reading.succeeded();
          return answer;
        }
      } catch (error) {
        reading.failed(error);
        // An error other than an unavailable store is a bug, so log its stack trace.
        if (!(error instanceof StoreUnavailableError)) this.#log.error('Could not read a stream; retrying', error);
        await pause(RETRY_MS, undefined, { ref: false });
      } finally {
        this.#endTurn();
      }
    }
    return undefined;
  }

  async #takeTurn(): Promise<void> {
    if (this.#reading < READS_AT_ONCE) this.#reading++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the slot directly to the caller that has waited longest, so that no later caller can take it first. */
  #endTurn() {
    const waiting = this.#waiting.shift();
    if (waiting) waiting();
    else this.#reading--;
  }
}
