import type { RawEvent } from '../../kernel/event-store.js';

/** A stored event with its position in the whole log. */
export type PositionedEvent = RawEvent & { readonly position: bigint };

/** Thrown if the end of the destination does not match the events to be appended. */
export class LogMismatchError extends Error {
  override readonly name = 'LogMismatchError';
}

/**
 * A log to be copied to another store: all events exactly as they are stored, in the order in which they were recorded.
 */
export abstract class WholeLog {
  /** The engine and its location, for display. Does not contain a password. */
  abstract readonly description: string;

  /**
   * Yields the whole log after a position in non-empty lists. Tolerates a store that is unavailable for ten seconds.
   */
  abstract after(position: bigint, signal: AbortSignal): AsyncIterable<readonly PositionedEvent[]>;

  /** Returns the position of the last event, or 0 for an empty log. */
  abstract last(): Promise<bigint>;

  /**
   * Appends events durably, in this order and exactly as they are. Each must follow the previous event of its stream,
   * or `LogMismatchError` is thrown. In that case, or if the process ends, the first of them may already have been
   * added.
   */
  abstract append(events: readonly RawEvent[]): Promise<void>;

  abstract close(): Promise<void>;
}
