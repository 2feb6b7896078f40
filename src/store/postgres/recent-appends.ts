import type { RawEvent } from '../../kernel/event-store.js';

/** What this process has just appended, and where. */
export type RecentAppend = { readonly position: bigint; readonly event: RawEvent };

/** Kept for whoever follows, who takes them within a moment; where nobody does, they are let go. Events and characters of data. */
const MOST_EVENTS = 2_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * The last events that this process has appended. Whoever stands right before them need not ask the database for them:
 * nothing can come between two positions that follow each other.
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

  /** Those that follow a position without a gap, so many at most; none where another process’s, or none at all, comes next. */
  after(position: bigint, limit: number): readonly RecentAppend[] {
    const events: RecentAppend[] = [];
    for (let at = position + 1n; events.length < limit; at++) {
      const event = this.#events.get(at);
      if (!event) break;
      events.push({ position: at, event });
    }
    return events;
  }

  /** Everything up to a position has been read. */
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
