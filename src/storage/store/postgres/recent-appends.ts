import type { RawEvent } from '../../../kernel/event-store.js';

/** An event that this process has just appended, with its position. */
export type RecentAppend = { readonly position: bigint; readonly event: RawEvent };

/**
 * Limits in events and in characters of data. Followers read the events within a moment. If there are none, everything
 * is dropped when a limit is exceeded.
 */
const MAX_EVENTS = 2_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * The last events that this process has appended. A reader that has reached them need not query the database, because
 * nothing can come between two consecutive positions.
 */
export class AppendCache {
  readonly #events = new Map<bigint, RawEvent>();
  #characters = 0;

  add(events: readonly RecentAppend[]): void {
    for (const { position, event } of events) {
      this.#events.set(position, event);
      this.#characters += event.data.length;
    }
    if (this.#events.size > MAX_EVENTS || this.#characters > MAX_CHARACTERS) this.#clear();
  }

  /**
   * Returns at most `limit` events that follow `position` without a gap. Returns none if the next event belongs to
   * another process or does not exist yet.
   */
  after(position: bigint, limit: number): readonly RecentAppend[] {
    const events: RecentAppend[] = [];
    for (let at = position + 1n; events.length < limit; at++) {
      const event = this.#events.get(at);
      if (!event) break;
      events.push({ position: at, event });
    }
    return events;
  }

  /** Drops everything up to `position` after it has been read. */
  forgetUpTo(position: bigint): void {
    for (const [at, { data }] of this.#events) {
      if (at > position) break; // they are in order, or nearly so
      this.#events.delete(at);
      this.#characters -= data.length;
    }
  }

  #clear() {
    this.#events.clear();
    this.#characters = 0;
  }
}
