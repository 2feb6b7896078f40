import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../../kernel/faults/ignored-fault.js';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

/** PostgreSQL channel for notifications that new log entries are visible. Notifications have no payload. */
export const SITE_LOG_CHANNEL = 'stele_site_log';

/** Tables of log entries: requests and other activity. Their IDs come from one sequence. */
const SCHEMA = `
create sequence if not exists site_log_ids as bigint cache 1;

create table if not exists access_entries (
  id       bigint not null default nextval('site_log_ids'),
  site_id  text collate "C" not null,
  at       timestamptz not null,
  hits     integer not null,  -- number of requests; more than one only under load
  method   text not null,
  path     text not null,     -- decoded, without the query
  status   smallint not null,
  bytes    bigint not null,   -- of content sent, for all hits together
  ms       real not null,     -- from the request to the end of the response; mean of all hits
  referrer text,              -- only the host, and never the site's own
  client   text not null,     -- person, robot, prefetch or probe
  is_page  boolean not null,  -- HTML response with status 200 or 304
  counted  boolean not null,  -- the site's "analytics" capability was enabled
  visitor  bigint,            -- hashed with the day's salt; null if not counted or if the visitor opts out
  browser  text,
  system   text,
  device   text,
  country  text
) partition by range (at);
create index if not exists access_entries_by_site on access_entries (site_id, id);
create index if not exists access_entries_by_time on access_entries using brin (at);
create index if not exists access_entries_by_id on access_entries using brin (id) with (pages_per_range = 32, autosummarize = on);

create table if not exists site_activity (
  id      bigint primary key default nextval('site_log_ids'),
  site_id text collate "C" not null,
  at      timestamptz not null,
  kind    text not null,  -- deploy, job or system
  level   text not null,  -- info, warn or error
  message text not null,
  data    text not null,  -- additional JSON members of the entry
  event   text            -- the event that the entry reports, at most one entry per event; otherwise null
);
create index if not exists site_activity_by_site on site_activity (site_id, id);
create unique index if not exists site_activity_by_event on site_activity (event);
create index if not exists site_activity_by_time on site_activity using brin (at);
`;

/** All processes wait for this lock. If a process hangs while it holds the lock, the database ends its transaction. */
const BEGIN =
  "begin; set local idle_in_transaction_session_timeout = '15s'; select pg_advisory_xact_lock(hashtextextended('stele site log', 0))";

export class SiteLog {
  constructor(private readonly pool: Pool) {}

  /**
   * Adds log entries, for requests or other activity, in a transaction that only one process can run at a time. Entries
   * thus become visible in the order of their IDs, and a reader only needs `id > last`. Notifies listeners of
   * `SITE_LOG_CHANNEL`. Rejects with `StoreUnavailableError` while the database is unavailable; it is then unknown
   * whether the entries were added.
   */
  async add<Result>(write: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await awaitDatabase(this.pool.connect());
    let fault: Error | undefined;
    try {
      await client.query(BEGIN);
      const result = await write(client);
      await client.query(`notify ${SITE_LOG_CHANNEL}; commit`);
      return result;
    } catch (error) {
      fault = error as Error;
      await client.query('rollback').catch(endedWithConnection);
      return await awaitDatabase(Promise.reject(error));
    } finally {
      client.release(fault);
    }
  }
}

export const siteLogTable: Table<SiteLog> = {
  name: 'site logs',
  lock: 'stele site log schema',
  schema: SCHEMA,
  access: SiteLog,
  open: ({ pool }) => new SiteLog(pool),
};
