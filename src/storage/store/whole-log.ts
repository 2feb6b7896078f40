import type { RawEvent } from '../../kernel/event-store.js';

/** A stored event with its position in the whole log. */
export type PositionedEvent = RawEvent & { readonly position: bigint };

/** Thrown if the events to be appended do not follow on from the end of the destination. */
export class LogMismatchError extends Error {
  override readonly name = 'LogMismatchError';
}

/**
 * A log that can be copied to another store. Contains all events exactly as they are stored, in the order in which they
 * were recorded.
 */
export abstract class WholeLog {
  /** The engine and its location, for display. Contains no password. */
  abstract readonly description: string;

  /**
   * Yields the whole log after a position in non-empty lists. If the store is unavailable, retries for up to ten
   * seconds.
   */
  abstract after(position: bigint, signal: AbortSignal): AsyncIterable<readonly PositionedEvent[]>;

  /** Returns the position of the last event, or 0 for an empty log. */
  abstract last(): Promise<bigint>;

  /**
   * Appends events durably, in this order and exactly as they are. Throws `LogMismatchError` if an event does not
   * follow the previous event of its stream. In that case, or if the process ends, some of the events may already have
   * been appended.
   */
  abstract append(events: readonly RawEvent[]): Promise<void>;

  abstract close(): Promise<void>;
}
