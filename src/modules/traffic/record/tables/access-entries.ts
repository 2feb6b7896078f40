import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import { copyConnectionOptions } from '../../../../storage/postgres/connection-options.js';
import { copyText } from '../../../../storage/postgres/copy-text.js';
import { awaitDatabase } from '../../../../storage/postgres/database-fault.js';
import { EnduringClient } from '../../../../storage/postgres/enduring-client.js';
import type { Table } from '../../../../storage/tables/table.js';
import { SiteLog } from '../../api/site-log.js';
import type { AccessEntry } from './access-entry.js';
import { AccessPartitions, computeDayNumber } from './access-partitions.js';

const SCHEMA = `
create table if not exists access_writers (
  process    text primary key,
  last_batch bigint not null,
  at         timestamptz not null default clock_timestamp()
);

create table if not exists access_dropped (
  site_id text collate "C" not null,
  day     date not null,
  hits    bigint not null,
  primary key (site_id, day)
);
`;

/** Thrown if the database refuses log entries because of their content, so that another attempt would fail too. */
export class RejectedEntriesError extends Error {
  override readonly name = 'RejectedEntriesError';
}

/** Matches SQLSTATE codes of errors caused by the data: data exceptions, constraint violations and program limits. */
const ABOUT_DATA = /^(22|23|54)...$/;

/** Number of requests to a site on one day (UTC) that could not be recorded. */
export type DroppedRequests = { readonly siteId: string; readonly day: number; readonly hits: number };

export type AccessBatch = {
  /** `process` and `number` identify a batch, so that a batch that is sent twice is stored only once. */
  readonly process: string;
  readonly number: number;
  readonly entries: readonly AccessEntry[];
  readonly dropped: readonly DroppedRequests[];
};

/**
 * SQL that records the batch number, unless the batch is already stored. Each process writes its batches in order, so
 * its last number is enough.
 */
const IS_NEW = `
insert into access_writers (process, last_batch) values ($1, $2)
on conflict (process) do update set last_batch = excluded.last_batch, at = clock_timestamp()
  where access_writers.last_batch < excluded.last_batch
returning last_batch`;

const COPY =
  'copy access_entries (site_id, at, hits, method, path, status, bytes, ms, referrer, client, is_page, counted, visitor, browser, system, device, country) from stdin';

const DROPPED = `
insert into access_dropped (site_id, day, hits)
select site_id, date '1970-01-01' + day, sum(hits) from unnest($1::text[], $2::int[], $3::bigint[]) as d (site_id, day, hits)
group by 1, 2 order by 1, 2
on conflict (site_id, day) do update set hits = access_dropped.hits + excluded.hits`;

/** Time after which an unresponsive database connection is abandoned. */
const HUNG_MS = 20_000;

const CLOSE_MS = 500;

/** Number of log entries formatted without a break, so that the event loop is not blocked for long. */
const AT_ONCE = 200;

export class AccessEntries {
  readonly partitions: AccessPartitions;
  readonly #log: SiteLog;
  readonly #pool: pg.Pool;

  /**
   * Opens a separate database connection with the settings of `shared`, so that slow writes of log entries do not delay
   * other queries.
   */
  constructor(shared: pg.Pool) {
    const application_name = 'stele access log';
    // Limit the duration of transactions: a process that hangs while it writes a batch must not block other processes.
    const patience = { query_timeout: HUNG_MS, idle_in_transaction_session_timeout: HUNG_MS };
    this.#pool = new pg.Pool({
      ...copyConnectionOptions(shared),
      ...patience,
      max: 1,
      application_name,
      Client: EnduringClient,
    });
    // Ignore errors of an idle connection, because the next batch opens a new one.
    this.#pool.on('error', () => undefined);
    this.#log = new SiteLog(this.#pool);
    this.partitions = new AccessPartitions(this.#pool);
  }

  /**
   * Writes a batch of log entries completely or not at all. Returns false if it is already stored. Rejects with
   * `RejectedEntriesError` if the database refuses the content of the batch. Any other error can be temporary, for
   * example if the database is unavailable. The batch must then be sent again before any other batch of the process.
   */
  async write(batch: AccessBatch): Promise<boolean> {
    try {
      return await this.#write(batch);
    } catch (cause) {
      if (!(cause instanceof pg.DatabaseError) || !ABOUT_DATA.test(cause.code ?? '')) throw cause;
      throw new RejectedEntriesError(cause.message, { cause });
    }
  }

  async #write({ process, number, entries, dropped }: AccessBatch): Promise<boolean> {
    await this.partitions.make(new Set(entries.map(({ at }) => computeDayNumber(at))));
    return await this.#log.add(async (client) => {
      const { rowCount } = await client.query(IS_NEW, [process, number]);
      if (rowCount === 0) return false;
      if (entries.length > 0) await copy(client, entries);
      if (dropped.length > 0)
        await client.query(DROPPED, [
          dropped.map(({ siteId }) => siteId),
          dropped.map(({ day }) => day),
          dropped.map(({ hits }) => hits),
        ]);
      return true;
    });
  }

  async forgetDropped(day: number): Promise<void> {
    await awaitDatabase(this.#pool.query("delete from access_dropped where day < date '1970-01-01' + $1::int", [day]));
  }

  /** Closes the database connections. Does not wait for a connection that hangs. */
  async closeConnections(): Promise<void> {
    await Promise.race([this.#pool.end(), pause(CLOSE_MS, undefined, { ref: false })]);
  }
}

const copy = (client: PoolClient, entries: readonly AccessEntry[]): Promise<void> =>
  pipeline(Readable.from(lines(entries)), client.query(from(COPY)), { signal: AbortSignal.timeout(HUNG_MS) });

async function* lines(entries: readonly AccessEntry[]): AsyncGenerator<Buffer> {
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    if (at > 0) await nextTurn();
    let text = '';
    for (const entry of entries.slice(at, at + AT_ONCE)) text += lineOf(entry);
    yield Buffer.from(text);
  }
}

function lineOf(entry: AccessEntry): string {
  const { siteId, at, hits, method, path, status, bytes, ms, referrer, client } = entry;
  const { isPage, counted, visitor, browser, system, device, country } = entry;
  const values = [siteId, new Date(at).toISOString(), hits, method, path, status, bytes, ms, referrer, client];
  values.push(isPage ? 't' : 'f', counted ? 't' : 'f', visitor === null ? null : String(visitor));
  values.push(browser, system, device, country);
  return `${values.map(copyText).join('\t')}\n`;
}

export const accessEntriesTable: Table<AccessEntries> = {
  name: 'access entries',
  lock: 'stele access entries schema',
  schema: SCHEMA,
  // Delete batch numbers of processes that have written nothing for two days: they have exited, and will not send their
  // batches again.
  cleaning: {
    everyMs: 3_600_000,
    statement: "delete from access_writers where at < clock_timestamp() - interval '2 days'",
  },
  access: AccessEntries,
  open: ({ pool }) => new AccessEntries(pool),
};
