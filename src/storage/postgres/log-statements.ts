import type { NewEvent } from '../../kernel/event-store.js';

/** A statement, and what it is given as `$1` and so on. `before`: what stands in a `with` before its text, if anything. */
export type Statement = { readonly before?: string; readonly text: string; readonly values: readonly unknown[] };

/** An event for the stream that the rows' column `stream` names, after `revision` events. */
export type AppendedEvent = { readonly stream: string; readonly revision: number; readonly event: NewEvent };

/** A log in a PostgreSQL, for a caller that writes rows there too. */
export interface LogStatements {
  /**
   * Makes one statement of `rows` and appends, each to another stream: all are done, durably, or none is. `rows` answers
   * one row or none, and in the columns that `events` name where each goes; null for nowhere. The whole answers what
   * `rows` answers. It fails with a broken unique key (23505) where a stream has gone on past its revision. For streams
   * that are not chained by hashes and of which nothing was dropped; readers find the events, which are in this order,
   * when they look by themselves. One text of `rows`, one text of the whole: `rows` is a constant, and so are the columns.
   */
  appendingWith(rows: Statement, events: readonly AppendedEvent[]): Statement;
}
