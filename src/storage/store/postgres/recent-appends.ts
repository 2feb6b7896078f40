import type { RawEvent } from '../../../kernel/event-store.js';

export type RecentAppend = { readonly position: bigint; readonly event: RawEvent };

/**
 * Maximum number of cached events, and of characters of their data. If readers do not keep up or there are none, the
 * whole cache is cleared.
 */
const MAX_EVENTS = 2_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * The events that this process appended most recently. A reader that has caught up to them does not need the
 * database, because no event can be inserted between two consecutive positions.
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
   * Returns up to `limit` events after `position`, stopping at the first gap. Events appended by other processes leave
   * gaps.
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

  /** Drops all events up to `position`, after they have been read. */
  forgetUpTo(position: bigint): void {
    for (const [at, { data }] of this.#events) {
      if (at > position) break; // Later events have higher positions, with few exceptions.
      this.#events.delete(at);
      this.#characters -= data.length;
    }
  }

  #clear() {
    this.#events.clear();
    this.#characters = 0;
  }
}
