import type { NewEvent } from '../../kernel/event-store.js';

/**
 * A SQL statement. `values` are the parameters `$1`, `$2` and so on. `before` contains the common table expressions
 * that precede `text`.
 */
export type Statement = { readonly before?: string; readonly text: string; readonly values: readonly unknown[] };

/**
 * An event to append if its stream has exactly `revision` events. `stream` is the column that contains the stream’s
 * name.
 */
export type AppendedEvent = { readonly stream: string; readonly revision: number; readonly event: NewEvent };

export interface LogStatements {
  /**
   * Combines the statement `rows`, which returns at most one row, with appends to different streams into one atomic
   * statement. For each event, the column named by `stream` contains the stream’s name, or null to skip the event. The
   * statement returns the row of `rows`. If a stream has grown in the meantime, the statement fails with a unique
   * violation (23505).
   *
   * Streams must have no hash chain and no dropped events. Readers are not notified, so they find the events when they
   * poll. The combined SQL is cached under the SQL of `rows`, so `rows` and the column names must be constants.
   */
  appendingWith(rows: Statement, events: readonly AppendedEvent[]): Statement;
}
