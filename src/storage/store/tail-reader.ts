import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import type { Recorded } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { RETRY_PAUSE_MS } from '../postgres/retry.js';

export const PAGE = 500;

/** Limits of the events buffered for a slow reader. A reader that exceeds a limit has to read from the store again. */
const MAX_EVENTS = 2 * PAGE;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** A reader’s subscription to new events. It is `behind` at first, because earlier events are only in the store. */
class Subscription {
  /** True if the reader must read from the store before it uses this subscription. */
  behind = true;
  #events: Recorded[] = [];
  #characters = 0;
  #wake: (() => void) | undefined;

  /** Must be called before reading from the store, so that no event falls between the read and the subscription. */
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
    if (this.#events.length + events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS) this.fallBehind();
    else {
      this.#events.push(...events);
      this.#wake?.();
    }
  }

  /**
   * Resolves to the events since the last call as soon as there are any. Resolves to an empty list if the
   * subscription has fallen behind or `signal` aborts.
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

/** Reads new events once for all readers in this process. Reads nothing while there are no readers. */
export class TailReader {
  readonly #followers = new Set<Subscription>();
  readonly #watchers = new Map<string, Set<Subscription>>();
  #running = false;
  #allLeft = new AbortController();

  constructor(
    /** Returns the position of the last event in the log, or undefined after `closed` has aborted. */
    private readonly lastPosition: () => Promise<bigint | undefined>,
    /** Yields non-empty pages of all events after a position, as they arrive, until the signal aborts. */
    private readonly newPages: (after: bigint, signal: AbortSignal) => AsyncIterable<readonly Recorded[]>,
    private readonly closed: AbortSignal,
  ) {}

  /**
   * Yields events until `signal` aborts: the events of one stream after a revision or, if `stream` is null, all events
   * after a position. First reads full pages of `PAGE` events from the store, then follows the subscription. Reads from
   * the store again if the subscription falls behind.
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
        // Waits before all readers read from the store again. If an event cannot be read, the reader that reaches it
        // throws the error.
        await orAborted(pause(RETRY_PAUSE_MS), this.closed);
      }
    }
    this.#running = false;
  }

  async #readOn(): Promise<void> {
    this.#allLeft = new AbortController();
    const position = await this.lastPosition();
    // No subscription has received the events up to `position`, so all readers must read these events from the store.
    for (const subscription of this.#subscriptions()) subscription.fallBehind();
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

/** Reports whether revisions are missing between `after` and the next event. */
const hasGap = ([next]: readonly Recorded[], after: bigint | number) =>
  next !== undefined && next.revision > Number(after) + 1;
