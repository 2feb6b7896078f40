import type { QueryConfig } from 'pg';
import { COLUMNS, type EventRow } from './event-row.js';

/** Few, as a page is held for as long as a slow client takes to receive it. */
const EVENTS_IN_PAGE = 200;
/** The least of PostgreSQL’s integers. */
const BEFORE_ALL = -2_147_483_648;

/**
 * A page has bounds and no limit. Until PostgreSQL has statistics of a table that grew, it takes every page with a limit
 * for small, and sorts all that follows. By its bounds a page also has all events of a revision, of which there are
 * several where another program wrote past the store and lifted the unique key.
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

/** All rows of a stream up to a revision, whatever another program made of them, oldest first. No page is empty. */
export async function* pagesUpTo(last: number, stream: string, query: Query): AsyncIterable<readonly EventRow[]> {
  for (let after = BEFORE_ALL; after < last; ) {
    const to = Math.min(after + EVENTS_IN_PAGE, last);
    const rows = await query(PAGE, [stream, after, to]);
    if (rows.length > 0) yield rows;
    after = rows.length > 0 ? to : await before(stream, to, last, query);
  }
}

/** The place before the next event. Only another program leaves a gap, but for the one before the first. */
async function before(stream: string, after: number, last: number, query: Query): Promise<number> {
  const [next] = await query(NEXT, [stream, after]);
  return (next?.revision ?? last + 1) - 1;
}
