import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Appended, type Head, type RawEvent, StoreUnavailableError } from '../../../kernel/event-store.js';
import { storageError } from '../../../kernel/faults/storage-full.js';
import { isTransientFault } from '../../postgres/database-fault.js';
import { PATIENCE_MS, RETRY_PAUSE_MS } from '../../postgres/retry.js';
import type { AppendConnection } from './append-connection.js';
import type { AppendResults, PendingAppend } from './append-session.js';
import { NotifyThrottle } from './notify-throttle.js';
import type { RecentAppend } from './recent-appends.js';

/** Maximum events and characters of data in a batch. A single large append can exceed them. */
const MAX_EVENTS = 1000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Minimum number of waiting appends for which a second concurrent batch is worthwhile. */
const SECOND_BATCH_FROM = 8;

type Append = PendingAppend & {
  readonly characters: number;
  /** Deadline after which the append is abandoned, as a `performance.now()` timestamp. */
  readonly deadline: number;
  readonly resolve: (outcome: Appended | 'refused') => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Collects the appends that arrive while a batch is being written, and writes them as the next batch. A batch needs
 * only one round trip, one lock and one sync to disk. Each append gets its own result.
 */
export class BatchWriter {
  #queue: Append[] = [];
  #scheduled: Promise<void> | undefined;
  #inFlight = 0;
  readonly #busy = new Set<string>();
  #idle: (() => void) | undefined;
  readonly #notifyThrottle = new NotifyThrottle(() => this.connection.notify());
  #closed = false;

  constructor(
    private readonly connection: AppendConnection,
    /** Called with the events of each batch once they are readable. */
    private readonly written: (events: readonly RecentAppend[]) => void,
  ) {}

  /**
   * Appends events if the stream is at `head`. Otherwise resolves to `refused`. Also resolves to `refused` if an
   * earlier attempt of the same append succeeded but its response was lost.
   */
  append(head: Head, events: readonly RawEvent[]): Promise<Appended | 'refused'> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The event store is closed.'));
    const characters = events.reduce((sum, { data }) => sum + data.length, 0);
    const deadline = performance.now() + PATIENCE_MS;
    return new Promise((resolve, reject) => {
      this.#queue.push({ head, events, characters, deadline, resolve, reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length > 0 || this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    this.#notifyThrottle.close();
  }

  /** Starts a batch at the end of this event loop iteration, so that it includes all appends of the iteration. */
  #schedule(): void {
    this.#scheduled ??= nextTurn().then(() => {
      this.#scheduled = undefined;
      this.#startBatches();
    });
  }

  /**
   * Keeps a second batch in progress, so that PostgreSQL does not have to wait. Two small batches cost more than they
   * gain, so a second one is only started if many appends are waiting. These appends are then split in half.
   */
  #startBatches(): void {
    while (this.#queue.length > 0 && this.#inFlight < 2) {
      if (this.#inFlight === 1 && this.#queue.length < SECOND_BATCH_FROM) return;
      const mostEvents =
        this.#inFlight === 0 && this.#queue.length >= 2 * SECOND_BATCH_FROM ? this.#queue.length / 2 : MAX_EVENTS;
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

  /** Removes the oldest appends from the queue, at most one per stream. */
  #nextBatch(mostEvents: number): Append[] {
    const batch = new Map<string, Append>();
    const later: Append[] = [];
    let events = 0;
    let characters = 0;
    for (const append of this.#queue) {
      const fits = events + append.events.length <= mostEvents && characters + append.characters <= MAX_CHARACTERS;
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
   * Writes a batch. Resolves to a function that reports the results to the callers. If the database is unavailable,
   * queues the appends again, and the function does nothing.
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

  /** Puts failed appends back at the front of the queue. Sending the same event IDs again is harmless. */
  async #requeue(batch: readonly Append[], cause: unknown): Promise<void> {
    await pause(RETRY_PAUSE_MS);
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const append of waiting) {
      if (append.deadline > performance.now()) this.#queue.push(append);
      else append.reject(new StoreUnavailableError('The database is not responding.', { cause }));
    }
  }
}

const noOutcomes = () => undefined;

const streamOf = (append: Append) => append.events[0]?.stream ?? '';
