import type { RawEvent } from '../../kernel/event-store.js';

export type PositionedEvent = RawEvent & { readonly position: bigint };

/** Thrown if the events to append do not continue the destination’s log. */
export class LogMismatchError extends Error {
  override readonly name = 'LogMismatchError';
}

/** A log that can be copied to another store. Events are copied exactly as they are stored, in the same order. */
export abstract class WholeLog {
  /** The engine and its location, for display. Contains no password. */
  abstract readonly description: string;

  /** Yields the log after a position in non-empty lists. Retries for up to ten seconds if the store is unavailable. */
  abstract after(position: bigint, signal: AbortSignal): AsyncIterable<readonly PositionedEvent[]>;

  /** Returns the position of the last event, or 0 for an empty log. */
  abstract last(): Promise<bigint>;

  /**
   * Appends events durably and unchanged. Throws `LogMismatchError` if an event does not directly follow the
   * last one in its stream. If the call fails or the process ends, some of the events may have been appended.
   */
  abstract append(events: readonly RawEvent[]): Promise<void>;

  abstract close(): Promise<void>;
}
