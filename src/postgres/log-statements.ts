import type { NewEvent } from '../kernel/event-store.js';

/** A statement, and what it is given as `$1` and so on. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] };

/** A log in a PostgreSQL, as far as somebody is concerned who writes rows there too. */
export interface LogStatements {
  /**
   * Makes one statement of `rows` and an append: both are done, durably, or neither is. `rows` answers one row or none,
   * and in its column `stream` where the event goes; null for nowhere. The whole answers what `rows` answers. It fails
   * with a broken unique key (23505) where the stream has gone on past `revision`. For streams that are not chained by
   * hashes and of which nothing was dropped; readers find the event when they look by themselves. One text of `rows`,
   * one text of the whole: `rows` is a constant.
   */
  appendingWith(rows: Statement, revision: number, event: NewEvent): Statement;
}
