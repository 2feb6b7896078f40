import type { RawEvent } from '../../../kernel/event-store.js';

/** What this process has just appended, and where. */
export type RecentAppend = { readonly position: bigint; readonly event: RawEvent };

/**
 * Followers read them within a moment; where there are none, everything is dropped beyond these bounds. Events, and
 * characters of data.
 */
const MOST_EVENTS = 2_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * The last events that this process has appended. A reader that has come right up to them need not query the database:
 * nothing can come between two consecutive positions.
 */
export class RecentAppends {
  readonly #events = new Map<bigint, RawEvent>();
  #characters = 0;

  add(events: readonly RecentAppend[]): void {
    for (const { position, event } of events) {
      this.#events.set(position, event);
      this.#characters += event.data.length;
    }
    if (this.#events.size > MOST_EVENTS || this.#characters > MOST_CHARACTERS) this.#clear();
  }

  /**
   * Those that follow `position` without a gap, at most `limit`; none when the next event is another process’s, or is
   * not there yet.
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

  /** Drops everything up to `position`: it has been read. */
  forgetUpTo(position: bigint): void {
    for (const [at, { data }] of this.#events) {
      if (at > position) break; // they came in order, or nearly
      this.#events.delete(at);
      this.#characters -= data.length;
    }
  }

  #clear() {
    this.#events.clear();
    this.#characters = 0;
  }
}
