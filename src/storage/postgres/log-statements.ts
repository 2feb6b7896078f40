import type { NewEvent } from '../../kernel/event-store.js';

/**
 * A statement with the values of its parameters `$1` and so on. `before` is placed in a `with` clause before its text.
 */
export type Statement = { readonly before?: string; readonly text: string; readonly values: readonly unknown[] };

/** An event for a stream that has `revision` events so far. `stream` is the column of the rows that names it. */
export type AppendedEvent = { readonly stream: string; readonly revision: number; readonly event: NewEvent };

/** A log in PostgreSQL, for callers that also write rows to the same database. */
export interface LogStatements {
  /**
   * Combines `rows` and appends to different streams into one statement: all of it is done durably, or none. `rows`
   * returns at most one row, whose columns, as named in `events`, contain the stream for each event, or null to skip
   * that event. The combined statement returns the same row as `rows`. It fails with a unique violation (23505) if a
   * stream has moved past its revision. Only works for streams without a hash chain of which nothing was dropped.
   * Readers are not notified and find the events, which are in this order, when they poll. For each text of `rows` the
   * combined text must always be the same, so `rows` and the columns must be constant.
   */
  appendingWith(rows: Statement, events: readonly AppendedEvent[]): Statement;
}
