import type { RawEvent } from '../../kernel/event-store.js';

/** A stored event with its position in the whole log. */
export type PositionedEvent = RawEvent & { readonly position: bigint };

/** The destination does not end where the events would follow. */
export class LogMismatch extends Error {
  override readonly name = 'LogMismatch';
}

/** A log to be copied to another store: every event exactly as it stands, in the order in which all were recorded. */
export abstract class WholeLog {
  /** The engine and where it is, to show to people; without a password. */
  abstract readonly description: string;

  /** The whole log after a position, in lists that are not empty; it outlives a store that is away for ten seconds. */
  abstract after(position: bigint, signal: AbortSignal): AsyncIterable<readonly PositionedEvent[]>;

  /** Position of the last event, 0 for an empty log. */
  abstract last(): Promise<bigint>;

  /**
   * Adds events at the end, in this order and exactly as they are, durably. Each follows the one before it in its
   * stream, or it throws `LogMismatch`; then, or when the process ends meanwhile, a first part of them may be there.
   */
  abstract append(events: readonly RawEvent[]): Promise<void>;

  abstract close(): Promise<void>;
}
