import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import type { Recorded } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { RETRY_PAUSE } from '../postgres/retry.js';

/** Events read at once. */
export const PAGE = 500;

/** What a slow reader may have waiting before it is sent back to the store. */
const MOST_EVENTS = 2 * PAGE;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** One reader's subscription to new events. It is behind at first: what came before it is in the store. */
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

  deliver(events: readonly Recorded[]): void {
    if (this.behind) return;
    for (const event of events) this.#characters += event.stored.length;
    if (this.#events.length + events.length > MOST_EVENTS || this.#characters > MOST_CHARACTERS) this.fallBehind();
    else {
      this.#events.push(...events);
      this.#wake?.();
    }
  }

  /**
   * What has come since, in order, as soon as there is something; nothing when the subscription fell behind or `signal`
   * aborts.
   */
  async next(signal: AbortSignal): Promise<readonly Recorded[]> {
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
  #allLeft = new AbortController();

  constructor(
    /** Undefined only when closed, as below. */
    private readonly lastPosition: () => Promise<bigint | undefined>,
    /** Every event after a position, in order, as it comes, until the signal aborts. Pages are never empty. */
    private readonly newPages: (after: bigint, signal: AbortSignal) => AsyncIterable<readonly Recorded[]>,
    private readonly closed: AbortSignal,
  ) {}

  /**
   * One stream, or the whole store for null, after a revision or position, until `signal` aborts: pages from the store
   * until there is no more, then what is handed out here; from the store again after falling behind. A page that holds
   * `PAGE` events has others behind it.
   */
  async *read<Position extends bigint | number>(
    stream: string | null,
    after: Position,
    positionOf: (event: Recorded) => Position,
    page: (after: Position, ended: AbortSignal) => Promise<readonly Recorded[] | undefined>,
    signal: AbortSignal,
  ): AsyncIterable<readonly Recorded[]> {
    const ended = AbortSignal.any([signal, this.closed]);
    const subscription = this.#join(stream);
    try {
      while (!ended.aborted) {
        let events: readonly Recorded[];
        if (subscription.behind) {
          subscription.catchUp();
          events = (await page(after, ended)) ?? [];
          if (events.length === PAGE) subscription.fallBehind();
        } else {
          events = (await subscription.next(ended)).filter((event) => positionOf(event) > after);
          if (stream !== null && hasGap(events, after)) {
            subscription.fallBehind();
            continue;
          }
        }

        const last = events.at(-1);
        if (!last || ended.aborted) continue;
        after = positionOf(last);
        yield events;
      }
    } finally {
      this.#leave(subscription, stream);
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
      const subscriptions = this.#watchers.get(stream);
      subscriptions?.delete(subscription);
      if (subscriptions?.size === 0) this.#watchers.delete(stream);
    }
    if (!this.#hasReaders()) this.#allLeft.abort();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#hasReaders()) {
      try {
        await this.#readOn();
      } catch (error) {
        reading.failed(error);
        // An event that cannot be read: every reader reads the store itself after the pause, and those it concerns get
        // the error.
        await orAborted(pause(RETRY_PAUSE), this.closed);
      }
    }
    this.#running = false;
  }

  async #readOn(): Promise<void> {
    this.#allLeft = new AbortController();
    const position = await this.lastPosition();
    for (const subscription of this.#subscriptions()) subscription.fallBehind(); // what came before `position` is not handed out here
    if (position === undefined || !this.#hasReaders()) return;
    const signal = AbortSignal.any([this.closed, this.#allLeft.signal]);
    for await (const page of this.newPages(position, signal)) {
      reading.succeeded();
      this.#deliver(page);
    }
  }

  #deliver(page: readonly Recorded[]): void {
    for (const subscription of this.#followers) subscription.deliver(page);
    if (this.#watchers.size === 0) return;
    for (const event of page)
      for (const subscription of this.#watchers.get(event.stream) ?? []) subscription.deliver([event]);
  }

  #hasReaders = () => !this.closed.aborted && this.#followers.size + this.#watchers.size > 0;

  *#subscriptions(): Iterable<Subscription> {
    yield* this.#followers;
    for (const subscriptions of this.#watchers.values()) yield* subscriptions;
  }
}

/** Whether revisions are missing between `after` and the next event: then the store did not show all it had. */
const hasGap = ([next]: readonly Recorded[], after: bigint | number) =>
  next !== undefined && next.revision > Number(after) + 1;
