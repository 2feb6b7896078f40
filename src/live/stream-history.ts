import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type EventStore, type Head, type Recorded, StoreUnavailable } from '../kernel/event-store.js';

/** More readers at once would only wait for each other in the database, each with a page in memory. */
const AT_ONCE = 8;

/** Between two tries while the store is away, in milliseconds. */
const RETRY_MS = 250;

/** No stream reaches it: asked for what comes after, the store answers only where the stream stands. */
const BEYOND = 2_147_483_647;

/** Reads what is no longer in a ring, for few clients at a time. It outlives a store that goes away. */
export class History {
  readonly #log = new Logger('Live streams');
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(private readonly store: EventStore) {}

  /** At most `limit` events after `revision`; none as soon as nobody wants them any more. */
  page(stream: string, revision: number, limit: number, isWanted: () => boolean): Promise<readonly Recorded[]> {
    return this.#patiently(() => this.store.page(stream, revision, limit), isWanted).then((events) => events ?? []);
  }

  /** Where the stream stands; undefined when nobody wants to know any more. */
  head(stream: string, isWanted: () => boolean): Promise<Head | undefined> {
    return this.#patiently(async () => (await this.store.read(stream, BEYOND)).head, isWanted);
  }

  async #patiently<Answer>(ask: () => Promise<Answer>, isWanted: () => boolean): Promise<Answer | undefined> {
    while (isWanted()) {
      await this.#turn();
      try {
        if (isWanted()) return await ask();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) this.#log.error('A stream could not be read; trying again', error);
        await pause(RETRY_MS, undefined, { ref: false });
      } finally {
        this.#next();
      }
    }
    return undefined;
  }

  async #turn(): Promise<void> {
    if (this.#reading < AT_ONCE) this.#reading++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** The turn is handed over, so that nobody who comes later takes it first. */
  #next() {
    const waiting = this.#waiting.shift();
    if (waiting) waiting();
    else this.#reading--;
  }
}
