import { setTimeout as pause } from 'node:timers/promises';
import { BackgroundTask } from '../kernel/background-task.js';
import { orAborted } from '../kernel/concurrency/or-aborted.js';
import type { Recorded } from '../kernel/event-store.js';
import { RETRY_PAUSE } from '../postgres/database-away.js';

/** Events read at once. */
export const PAGE = 500;

/** What a slow reader may have waiting before it is sent back to the store. */
const MOST_EVENTS = 2 * PAGE;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** One reader's place at the tail. It is behind at first: what came before it sat down is in the store. */
class Subscription {
  /** The reader must read the store itself before it takes anything from here. */
  behind = true;
  #events: Recorded[] = [];
  #characters = 0;
  #wake: (() => void) | undefined;

  /** To be called before reading the store: whatever that reading does not find will be here. */
  catchUp(): void {
    this.behind = false;
    this.#empty();
  }

  fallBehind(): void {
    this.behind = true;
    this.#empty();
    this.#wake?.();
  }

  give(events: readonly Recorded[]): void {
    if (this.behind) return;
    for (const event of events) this.#characters += event.stored.length;
    if (this.#events.length + events.length > MOST_EVENTS || this.#characters > MOST_CHARACTERS) this.fallBehind();
    else {
      this.#events.push(...events);
      this.#wake?.();
    }
  }

  /** What has come since, in order, as soon as there is something; nothing when the seat fell behind or `signal` aborts. */
  async take(signal: AbortSignal): Promise<readonly Recorded[]> {
    if (this.#events.length === 0 && !this.behind) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await orAborted(promise, signal);
      this.#wake = undefined;
    }
    return this.#empty();
  }

  #empty(): readonly Recorded[] {
    const events = this.#events;
    this.#events = [];
    this.#characters = 0;
    return events;
  }
}

const reading = new BackgroundTask('read_new_events');

/** Reads new events once for all readers in this process, however many they are; not at all while there are none. */
export class TailReader {
  readonly #followers = new Set<Subscription>();
  readonly #watchers = new Map<string, Set<Subscription>>();
  #running = false;
  #nobodyLeft = new AbortController();

  constructor(
    /** Undefined only when closed, as below. */
    private readonly lastPosition: () => Promise<bigint | undefined>,
    /** Every event after a position, in order, as it comes, until the signal aborts. Pages are never empty. */
    private readonly newPages: (after: bigint, signal: AbortSignal) => AsyncIterable<readonly Recorded[]>,
    private readonly closed: AbortSignal,
  ) {}

  /**
   * One stream, or the whole store for null, after a place and until `signal` aborts: pages from the store until there
   * is no more, then what is handed out here; from the store again after falling behind. A page that holds `PAGE`
   * events has others behind it.
   */
  async *reading<Place extends bigint | number>(
    stream: string | null,
    after: Place,
    placeOf: (event: Recorded) => Place,
    page: (after: Place, ended: AbortSignal) => Promise<readonly Recorded[] | undefined>,
    signal: AbortSignal,
  ): AsyncIterable<readonly Recorded[]> {
    const ended = AbortSignal.any([signal, this.closed]);
    const seat = this.#join(stream);
    try {
      while (!ended.aborted) {
        let events: readonly Recorded[];
        if (seat.behind) {
          seat.catchUp();
          events = (await page(after, ended)) ?? [];
          if (events.length === PAGE) seat.fallBehind();
        } else {
          events = (await seat.take(ended)).filter((event) => placeOf(event) > after);
          if (stream !== null && skips(events, after)) {
            seat.fallBehind();
            continue;
          }
        }

        const last = events.at(-1);
        if (!last || ended.aborted) continue;
        after = placeOf(last);
        yield events;
      }
    } finally {
      this.#leave(seat, stream);
    }
  }

  #join(stream: string | null): Subscription {
    const subscription = new Subscription();
    if (stream === null) this.#followers.add(subscription);
    else this.#watchers.set(stream, (this.#watchers.get(stream) ?? new Set()).add(subscription));
    if (!this.#running) void this.#run();
    return subscription;
  }

  #leave(subscription: Subscription, stream: string | null): void {
    if (stream === null) this.#followers.delete(subscription);
    else {
      const seats = this.#watchers.get(stream);
      seats?.delete(subscription);
      if (seats?.size === 0) this.#watchers.delete(stream);
    }
    if (!this.#wanted()) this.#nobodyLeft.abort();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#wanted()) {
      try {
        await this.#readOn();
      } catch (error) {
        reading.failed(error);
        // An event that cannot be read: everyone reads the store himself after the pause, and whom it concerns is told.
        await orAborted(pause(RETRY_PAUSE), this.closed);
      }
    }
    this.#running = false;
  }

  async #readOn(): Promise<void> {
    this.#nobodyLeft = new AbortController();
    const position = await this.lastPosition();
    for (const seat of this.#seats()) seat.fallBehind(); // what came before `position` is not handed out here
    if (position === undefined || !this.#wanted()) return;
    const signal = AbortSignal.any([this.closed, this.#nobodyLeft.signal]);
    for await (const page of this.newPages(position, signal)) {
      reading.succeeded();
      this.#handOut(page);
    }
  }

  #handOut(page: readonly Recorded[]): void {
    for (const seat of this.#followers) seat.give(page);
    if (this.#watchers.size === 0) return;
    for (const event of page) for (const seat of this.#watchers.get(event.stream) ?? []) seat.give([event]);
  }

  #wanted = () => !this.closed.aborted && this.#followers.size + this.#watchers.size > 0;

  *#seats(): Iterable<Subscription> {
    yield* this.#followers;
    for (const seats of this.#watchers.values()) yield* seats;
  }
}

/** Whether revisions lie between a place in a stream and what is said to come next: then the store did not show all it had. */
const skips = ([next]: readonly Recorded[], after: bigint | number) =>
  next !== undefined && next.revision > Number(after) + 1;
