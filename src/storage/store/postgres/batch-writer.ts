import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Appended, type Head, type RawEvent, StoreUnavailable } from '../../../kernel/event-store.js';
import { storageError } from '../../../kernel/faults/storage-full.js';
import { isTransientFault } from '../../postgres/database-fault.js';
import { PATIENCE, RETRY_PAUSE } from '../../postgres/retry.js';
import type { AppendConnection } from './append-connection.js';
import type { AppendResults, PendingAppend } from './append-session.js';
import { NotifyThrottle } from './notify-throttle.js';
import type { RecentAppend } from './recent-appends.js';

/** A batch is closed once it holds this many events or characters of data; one append alone may hold more. */
const MOST_EVENTS = 1000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** How many waiting appends are worth a second batch beside the one that is being written. */
const SECOND_BATCH_FROM = 8;

type Append = PendingAppend & {
  readonly characters: number;
  /** When it is given up, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (outcome: Appended | 'refused') => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Writes what arrives while a batch is being written together in the next one: one round trip, one lock and one sync
 * to disk for all of them. Each append still has an outcome of its own.
 */
export class BatchWriter {
  #queue: Append[] = [];
  #scheduled: Promise<void> | undefined;
  #inFlight = 0;
  /** Streams of the batches that are being written. */
  readonly #busy = new Set<string>();
  #idle: (() => void) | undefined;
  readonly #notifyThrottle = new NotifyThrottle(() => this.connection.notify());
  #closed = false;

  constructor(
    private readonly connection: AppendConnection,
    /** Called with the events of each batch, once they can be read. */
    private readonly written: (events: readonly RecentAppend[]) => void,
  ) {}

  /**
   * Appends the events, one or more of one stream, if it stands at `head`; else answers `refused`, also when it was an
   * earlier try of this very append, whose answer was lost, that moved the stream on.
   */
  append(head: Head, events: readonly RawEvent[]): Promise<Appended | 'refused'> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The event store is closed.'));
    const characters = events.reduce((sum, { data }) => sum + data.length, 0);
    const deadline = performance.now() + PATIENCE;
    return new Promise((resolve, reject) => {
      this.#queue.push({ head, events, characters, deadline, resolve, reject });
      this.#schedule();
    });
  }

  /** Takes no more, and resolves when every append has its outcome. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length > 0 || this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    this.#notifyThrottle.close();
  }

  /** Starts writing after this turn of the event loop, so that all of its appends go together. */
  #schedule(): void {
    this.#scheduled ??= nextTurn().then(() => {
      this.#scheduled = undefined;
      this.#startBatches();
    });
  }

  /**
   * Keeps a second batch ready for when PostgreSQL is done with the first, so that it does not wait for us between
   * them. Two small ones would cost more than they bring: a second is begun only when many appends wait, and these are
   * then halved.
   */
  #startBatches(): void {
    while (this.#queue.length > 0 && this.#inFlight < 2) {
      if (this.#inFlight === 1 && this.#queue.length < SECOND_BATCH_FROM) return;
      const mostEvents =
        this.#inFlight === 0 && this.#queue.length >= 2 * SECOND_BATCH_FROM ? this.#queue.length / 2 : MOST_EVENTS;
      const batch = this.#nextBatch(mostEvents);
      if (batch.length === 0) return;
      this.#inFlight++;
      for (const append of batch) this.#busy.add(streamOf(append));
      void this.#write(batch).then((answer) => {
        this.#inFlight--;
        for (const append of batch) this.#busy.delete(streamOf(append));
        answer();
        this.#schedule();
      });
    }
    if (this.#queue.length === 0 && this.#inFlight === 0) this.#idle?.();
  }

  /** The oldest appends, each stream at most once. */
  #nextBatch(mostEvents: number): Append[] {
    const batch = new Map<string, Append>();
    const later: Append[] = [];
    let events = 0;
    let characters = 0;
    for (const append of this.#queue) {
      const fits = events + append.events.length <= mostEvents && characters + append.characters <= MOST_CHARACTERS;
      const stream = streamOf(append);
      if ((!fits && batch.size > 0) || batch.has(stream) || this.#busy.has(stream)) later.push(append);
      else {
        batch.set(stream, append);
        events += append.events.length;
        characters += append.characters;
      }
    }
    this.#queue = later;
    return [...batch.values()];
  }

  /**
   * Resolves to a function that gives the appends their outcome. Those that have to wait longer are in the queue again.
   */
  async #write(batch: readonly Append[]): Promise<() => void> {
    try {
      const session = await this.connection.session();
      const notifies = this.#notifyThrottle.shouldNotify();
      const written = await session.write(batch, notifies);
      if (notifies && written[0].length === 0) this.#notifyThrottle.notifySoon();
      return () => this.#answer(batch, written);
    } catch (error) {
      this.#notifyThrottle.notifySoon();
      if (isTransientFault(error)) await this.#requeue(batch, error);
      else if (batch.length > 1) for (const append of batch) (await this.#write([append]))();
      else batch[0]?.reject(storageError(error));
      return noOutcomes;
    }
  }

  #answer(batch: readonly Append[], [positions, refused]: AppendResults): void {
    const recent: RecentAppend[] = [];
    for (const append of batch) {
      const last = append.events.at(-1);
      if (!last || refused.includes(last.stream)) {
        append.resolve('refused');
        continue;
      }
      for (const event of append.events) recent.push({ position: BigInt(positions[recent.length] ?? 0), event });
      append.resolve({
        head: { revision: last.revision, hash: last.hash },
        position: recent.at(-1)?.position ?? 0n,
      });
    }
    if (recent.length > 0) this.written(recent);
  }

  /** Back to the front of the queue: the same ids are harmless to send again. */
  async #requeue(batch: readonly Append[], cause: unknown): Promise<void> {
    await pause(RETRY_PAUSE);
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const append of waiting) {
      if (append.deadline > performance.now()) this.#queue.push(append);
      else append.reject(new StoreUnavailable('The database is not responding.', { cause }));
    }
  }
}

const noOutcomes = () => undefined;

const streamOf = (append: Append) => append.events[0]?.stream ?? '';
