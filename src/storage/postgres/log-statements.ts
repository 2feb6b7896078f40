import type { NewEvent } from '../../kernel/event-store.js';

/**
 * A statement with the values of its parameters `$1`, `$2` and so on. `before` is added to a `with` clause in front of
 * `text`.
 */
export type Statement = { readonly before?: string; readonly text: string; readonly values: readonly unknown[] };

/**
 * An event for a stream that has `revision` events so far. `stream` is the name of the column that contains the
 * stream’s name.
 */
export type AppendedEvent = { readonly stream: string; readonly revision: number; readonly event: NewEvent };

/** A log in PostgreSQL, for callers that write rows and append events in the same database. */
export interface LogStatements {
  /**
   * Combines `rows` and appends to different streams into one statement, which is executed durably in full or not at
   * all. `rows` returns at most one row. For each event, the column named by `stream` contains the stream’s name, or
   * null to skip the event. The combined statement returns the same row as `rows`. If another event was appended to a
   * stream in the meantime, it fails with a unique violation (23505).
   *
   * Only works for streams that have no hash chain and of which nothing was dropped. Events are appended in the given
   * order. Readers are not notified, so they find the events when they poll. The combined SQL is cached by the SQL of
   * `rows`, so `rows` and the column names must be constants.
   */
  appendingWith(rows: Statement, events: readonly AppendedEvent[]): Statement;
}
