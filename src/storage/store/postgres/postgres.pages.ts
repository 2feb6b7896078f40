import type { QueryConfig } from 'pg';
import { COLUMNS, type EventRow } from './event-row.js';

/** Number of events per page. A page stays in memory until a slow client has received it. */
const EVENTS_IN_PAGE = 200;
/** The smallest PostgreSQL integer, which is less than every possible revision. */
const BEFORE_ALL = -2_147_483_648;

/**
 * Selects a page by lower and upper revision instead of with `limit`. With `limit`, PostgreSQL would sort all remaining
 * rows for each page until the statistics of a growing table are updated. With bounds, a page contains every row of a
 * revision. A revision has several rows only if another program removed the unique key and wrote to the table.
 */
const PAGE = {
  name: 'events_raw',
  text: `select ${COLUMNS} from events where stream = $1 and revision > $2 and revision <= $3 order by revision`,
};
const NEXT = {
  name: 'events_next',
  text: 'select min(revision) as revision from events where stream = $1 and revision > $2',
};

type Query = (query: QueryConfig, values: unknown[]) => Promise<readonly EventRow[]>;

/** Yields all rows up to a revision in non-empty pages, oldest first, even if there are gaps in the revisions. */
export async function* readEventPages(last: number, stream: string, query: Query): AsyncIterable<readonly EventRow[]> {
  for (let after = BEFORE_ALL; after < last; ) {
    const to = Math.min(after + EVENTS_IN_PAGE, last);
    const rows = await query(PAGE, [stream, after, to]);
    if (rows.length > 0) yield rows;
    after = rows.length > 0 ? to : await before(stream, to, last, query);
  }
}

/**
 * Returns the revision before the next existing event, to skip a gap. Only truncation and other programs cause gaps.
 */
async function before(stream: string, after: number, last: number, query: Query): Promise<number> {
  const [next] = await query(NEXT, [stream, after]);
  return (next?.revision ?? last + 1) - 1;
}
