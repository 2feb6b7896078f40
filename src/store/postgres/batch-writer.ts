import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Appended, type Head, type RawEvent, StoreUnavailable } from '../../kernel/event-store.js';
import { storageError } from '../../kernel/storage-full.js';
import { PATIENCE, RETRY_PAUSE } from '../../postgres/database-away.js';
import { isAway } from '../../postgres/database-fault.js';
import type { AppendConnection } from './append-connection.js';
import type { Asked, Written } from './append-session.js';
import { Bell } from './notify-throttle.js';
import type { Fresh } from './recent-appends.js';

/** A batch is closed once it holds this many events or characters of data; one append alone may hold more. */
const MOST_EVENTS = 1000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Appends that are worth a batch beside the one that is being written. */
const CROWD = 8;

type Append = Asked & {
  readonly characters: number;
  /** When waiting longer is worse than not knowing, in milliseconds of this process's clock. */
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
  #woken: Promise<void> | undefined;
  #inFlight = 0;
  /** Streams of the batches that are being written. */
  readonly #busy = new Set<string>();
  #idle: (() => void) | undefined;
  readonly #bell = new Bell(() => this.connection.tell());
  #closed = false;

  constructor(
    private readonly connection: AppendConnection,
    /** Called with the events of each batch, once they can be read. */
    private readonly written: (events: readonly Fresh[]) => void,
  ) {}

  /**
   * Appends the events, one or more of one stream, if it stands at `head`; else answers `refused`, also when it was an
   * earlier try of this very append, whose answer was lost, that moved the stream on.
   */
  append(head: Head, events: readonly RawEvent[]): Promise<Appended | 'refused'> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed.'));
    const characters = events.reduce((sum, { data }) => sum + data.length, 0);
    const deadline = performance.now() + PATIENCE;
    return new Promise((resolve, reject) => {
      this.#queue.push({ head, events, characters, deadline, resolve, reject });
      this.#soon();
    });
  }

  /** Takes no more, and resolves when every append has its outcome. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#queue.length > 0 || this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    this.#bell.close();
  }

  /** Once the appends that belong to this turn of the event loop are there: they go together. */
  #soon(): void {
    this.#woken ??= nextTurn().then(() => {
      this.#woken = undefined;
      this.#writeOn();
    });
  }

  /**
   * One batch is there already when PostgreSQL is done with the other, so that it does not wait for us between them.
   * Two small ones would cost more than they bring: a second is begun only for a crowd, which is then halved.
   */
  #writeOn(): void {
    while (this.#queue.length > 0 && this.#inFlight < 2) {
      if (this.#inFlight === 1 && this.#queue.length < CROWD) return;
      const most = this.#inFlight === 0 && this.#queue.length >= 2 * CROWD ? this.#queue.length / 2 : MOST_EVENTS;
      const batch = this.#nextBatch(most);
      if (batch.length === 0) return;
      this.#inFlight++;
      for (const append of batch) this.#busy.add(streamOf(append));
      void this.#write(batch).then((answer) => {
        this.#inFlight--;
        for (const append of batch) this.#busy.delete(streamOf(append));
        answer();
        this.#soon();
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

  /** Resolves to a function that answers those whose append was written; whoever has to wait longer is in the queue again. */
  async #write(batch: readonly Append[]): Promise<() => void> {
    try {
      const session = await this.connection.session();
      const rings = this.#bell.sounds();
      const written = await session.write(batch, rings);
      if (rings && written[0].length === 0) this.#bell.later();
      return () => this.#answer(batch, written);
    } catch (error) {
      this.#bell.later();
      if (isAway(error)) await this.#tryLater(batch, error);
      else if (batch.length > 1) for (const append of batch) (await this.#write([append]))();
      else batch[0]?.reject(storageError(error));
      return nobody;
    }
  }

  #answer(batch: readonly Append[], [positions, refused]: Written): void {
    const fresh: Fresh[] = [];
    for (const append of batch) {
      const last = append.events.at(-1);
      if (!last || refused.includes(last.stream)) {
        append.resolve('refused');
        continue;
      }
      for (const event of append.events) fresh.push({ position: BigInt(positions[fresh.length] ?? 0), event });
      append.resolve({
        head: { revision: last.revision, hash: last.hash },
        position: fresh.at(-1)?.position ?? 0n,
      });
    }
    if (fresh.length > 0) this.written(fresh);
  }

  /** Back to the front of the queue: the same ids are harmless to send again. */
  async #tryLater(batch: readonly Append[], cause: unknown): Promise<void> {
    await pause(RETRY_PAUSE);
    const waiting = [...batch, ...this.#queue];
    this.#queue = [];
    for (const append of waiting) {
      if (append.deadline > performance.now()) this.#queue.push(append);
      else append.reject(new StoreUnavailable('The database does not answer.', { cause }));
    }
  }
}

const nobody = () => undefined;

const streamOf = (append: Append) => append.events[0]?.stream ?? '';
