import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../../../kernel/faults/ignored-fault.js';
import { withAdvisoryLock } from '../../../../storage/postgres/advisory-lock.js';
import type { Table } from '../../../../storage/tables/table.js';
import { TrafficTraces } from '../../erase/traffic-traces.js';
import { DELETE_HOURS, INSERT_HOURS } from './remake-hours.js';
import { OTHER, truncateToDaySql, truncateToHourSql, VALUES_OF_DAY } from './roll-up-parts.js';
import { FIND_LARGE_HOURS, SKETCH_LARGE_HOURS } from './sketch-large-hours.js';
import { TrafficFigures } from './traffic-figures.js';
import { truncateToDay as startOfDay } from './whole-days.js';

/** SQL for the sites and days to recompute. Parameters $1 and $2: the IDs of sites, and one day for each of them. */
const CHANGED_DAYS = `
changed as materialized (
  select site_id collate "C" as site_id, day from unnest($1::text[], $2::timestamptz[]) as c (site_id, day)
)`;

/**
 * SQL for all sites with traffic on days that have ended. Parameters $1 and $2: the first day, and the day after the
 * last day.
 */
const ENDED_DAYS = `
changed as materialized (
  select distinct site_id, ${truncateToDaySql('at')} as day from traffic_hours where at >= $1 and at < $2
)`;

const DELETE_DAYS = `
with ${CHANGED_DAYS}
delete from traffic_days d using changed c where d.site_id = c.site_id and d.at = c.day`;

const insertDays = (changed: string) => `
with ${changed},
summed as (
  select h.site_id, c.day, h.dimension, h.value, sum(h.hits::float8) as hits, sum(h.pageviews::float8) as pageviews,
    sum(h.visits::float8) as visits, sum(h.bytes::float8) as bytes, sum(h.newcomers::float8) as visitors
  from changed c join traffic_hours h on h.site_id = c.site_id and h.at >= c.day and h.at < c.day + interval '1 day'
  group by 1, 2, 3, 4
),
ranked as (
  select *, value = '${OTHER}' or row_number() over (
    partition by site_id, day, dimension order by value = '${OTHER}', hits desc, value
  ) > ${VALUES_OF_DAY} as is_rest
  from summed
)
insert into traffic_days (site_id, at, dimension, value, hits, pageviews, visits, bytes, visitors)
select site_id, day, dimension, value, hits, pageviews, visits, bytes, visitors from ranked where not is_rest
union all
select site_id, day, dimension, '${OTHER}', sum(hits), sum(pageviews), sum(visits), sum(bytes), sum(visitors)
from ranked where is_rest group by 1, 2, 3`;

const INSERT_CHANGED_DAYS = insertDays(CHANGED_DAYS);
const INSERT_ENDED_DAYS = insertDays(ENDED_DAYS);

const columns = `
  site_id   text collate "C" not null,
  at        timestamptz not null,          -- start of the hour or UTC day
  dimension text collate "C" not null,     -- total, page, entry, referrer, country, browser, system, device, status, missing, client
  value     text collate "C" not null,     -- empty for total
  hits      bigint not null,
  pageviews bigint not null,
  visits    bigint not null,               -- for a page, visits that include it; otherwise, visits that begin with this value
  visitors  bigint not null,               -- only for total and page
  bytes     bigint not null`;

/** Tables with figures derived from `access_entries`. The figures can be recomputed as long as the entries exist. */
const SCHEMA = `
create table if not exists traffic_hours (
  ${columns},
  newcomers bigint not null,               -- visitors not seen in an earlier hour of the day
  sketch    bytea                          -- of the visitors, see VisitorSketch
);
create index if not exists traffic_hours_by_site on traffic_hours (site_id, at);
create index if not exists traffic_hours_by_time on traffic_hours using brin (at);

create table if not exists traffic_days (
  ${columns}
);
create index if not exists traffic_days_by_site on traffic_days (site_id, at);
create index if not exists traffic_days_by_time on traffic_days using brin (at);

create table if not exists traffic_progress (
  one           boolean primary key default true check (one),
  last_id       bigint not null default 0, -- last entry that is in the roll-ups
  days_before   timestamptz not null default '-infinity', -- earlier days are in traffic_days; other days only in traffic_hours
  closed_before timestamptz not null default '-infinity'  -- earlier days no longer change, because their entries may be deleted
);
insert into traffic_progress default values on conflict do nothing;

create table if not exists traffic_followed (
  name     text primary key,
  engine   text not null,                  -- the log's engine; a position is only valid in the same log
  position bigint not null
);
`;

/** Maximum number of log entries per step. Catching up takes several steps, each of which is committed. */
const STEP = 1_000_000;

/** Memory for sorting and grouping in PostgreSQL. Larger operations use the disk. */
const WORK_MEM = '32MB';

/** Progress of processing log entries. The ID and the times are in PostgreSQL's text format. */
type Progress = { readonly lastId: string; readonly daysBefore: string; readonly closedBefore: string };
type ChangedDay = { readonly siteId: string; readonly day: string; readonly since: string; readonly isEnded: boolean };

const PROGRESS = `
select last_id::text as "lastId", days_before::text as "daysBefore", closed_before::text as "closedBefore" from traffic_progress for update`;

const LAST = 'select max(id)::text as id from access_entries where id > $1';

const FIND_CHANGED = `
select site_id as "siteId", ${truncateToDaySql('at')}::text as day, min(${truncateToHourSql('at')})::text as since,
  ${truncateToDaySql('at')} < $4::timestamptz as "isEnded"
from access_entries
where id > $1 and id <= $2 and counted and client <> 'probe' and at >= $3::timestamptz
group by site_id, ${truncateToDaySql('at')}`;

export class TrafficRollUps {
  readonly figures: TrafficFigures;
  readonly traces: TrafficTraces;

  constructor(
    private readonly pool: Pool,
    private readonly step = STEP,
  ) {
    this.figures = new TrafficFigures(pool);
    this.traces = new TrafficTraces(pool);
  }

  /**
   * Processes new log entries. Returns true if more may remain, or undefined while another process is doing this work.
   * Recomputes the affected hours and days from all their entries, in the transaction that stores the progress. It can
   * therefore be interrupted at any point and repeated. Days before that of `now` are computed from their hours.
   */
  async takeIn(now = new Date()): Promise<boolean | undefined> {
    return await this.#alone(async (client) => {
      const { lastId, daysBefore, closedBefore } = await progressOf(client);
      const last = await lastAfter(client, lastId);
      const step = BigInt(lastId) + BigInt(this.step);
      const upTo = last === null || last < step ? last : step;
      if (upTo !== null) {
        const values = [lastId, String(upTo), closedBefore, daysBefore];
        const changed = await client.query<ChangedDay>(FIND_CHANGED, values);
        if (changed.rows.length > 0) await remake(client, changed.rows);
        await client.query('update traffic_progress set last_id = $1', [String(upTo)]);
      }
      await endDays(client, daysBefore, new Date(startOfDay(now.getTime())));
      return upTo !== last;
    });
  }

  /**
   * Closes the days before this time (midnight, UTC), so that log entries that arrive for them later do not count.
   * Returns false if some of their entries are not processed yet. Deletes their entries if `withEntries` is set.
   */
  async close(before: Date, { withEntries = false } = {}): Promise<boolean> {
    const isClosed = await this.#alone(async (client) => {
      const { lastId } = await progressOf(client);
      const left = await client.query('select from access_entries where id > $1 and at < $2 limit 1', [lastId, before]);
      if (left.rows.length > 0) return false;
      await client.query('update traffic_progress set closed_before = greatest(closed_before, $1)', [before]);
      // Keep entries that arrived after the last processed one. The next call deletes them.
      if (withEntries) await client.query('delete from access_entries where id <= $1 and at < $2', [lastId, before]);
      return true;
    });
    return isClosed ?? false;
  }

  async forgetBefore(hours: Date, days: Date): Promise<void> {
    await this.pool.query('delete from traffic_hours where at < $1', [hours]);
    await this.pool.query('delete from traffic_days where at < $1', [days]);
  }

  async #alone(work: (client: PoolClient) => Promise<boolean>): Promise<boolean | undefined> {
    return await withAdvisoryLock(this.pool, 'stele traffic roll-ups', async (client) => {
      await client.query(`begin; set local work_mem = '${WORK_MEM}'; set local jit = off`);
      try {
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(endedWithConnection);
        throw error;
      }
    });
  }
}

/**
 * Reads the progress of processing log entries. Locks the row in `traffic_progress` until the end of the transaction.
 */
async function progressOf(client: PoolClient): Promise<Progress> {
  const { rows } = await client.query<Progress>(PROGRESS);
  return rows[0] ?? { lastId: '0', daysBefore: '-infinity', closedBefore: '-infinity' };
}

/**
 * Returns the greatest ID after `id` of a visible log entry, or null if there is none. Entries with smaller IDs are
 * visible too.
 */
async function lastAfter(client: PoolClient, id: string): Promise<bigint | null> {
  const { rows } = await client.query<{ id: string | null }>(LAST, [id]);
  const last = rows[0]?.id ?? null;
  return last === null ? null : BigInt(last);
}

async function remake(client: PoolClient, changed: readonly ChangedDay[]): Promise<void> {
  const days = changed.map(({ day }) => day);
  const which = [changed.map(({ siteId }) => siteId), days, changed.map(({ since }) => since)];
  const { rows } = await client.query<{ from: string; to: string }>(
    `select min(day)::text as from, (max(day) + interval '1 day')::text as to from unnest($1::timestamptz[]) as day`,
    [days],
  );
  const within = [...which, rows[0]?.from, rows[0]?.to];
  await client.query(DELETE_HOURS, which);
  await client.query(INSERT_HOURS, within);
  if ((await client.query(FIND_LARGE_HOURS, which)).rows.length > 0) {
    // Disable nested loops: PostgreSQL can't estimate how many pages have many visitors, and would read all entries for
    // each of them.
    await client.query('set local enable_nestloop = off');
    await client.query(SKETCH_LARGE_HOURS, within);
    await client.query('set local enable_nestloop = on');
  }
  const ended = changed.filter(({ isEnded }) => isEnded);
  if (ended.length === 0) return;
  const endedDays = [ended.map(({ siteId }) => siteId), ended.map(({ day }) => day)];
  await client.query(DELETE_DAYS, endedDays);
  await client.query(INSERT_CHANGED_DAYS, endedDays);
}

/**
 * Computes the daily figures from `since` to `before` for all sites. If log entries for one of these days arrive later,
 * only that day is computed again.
 */
async function endDays(client: PoolClient, since: string, before: Date): Promise<void> {
  const values = [since, before];
  const { rows } = await client.query('select from traffic_progress where days_before < $1', [before]);
  if (rows.length === 0) return;
  await client.query(INSERT_ENDED_DAYS, values);
  await client.query('update traffic_progress set days_before = $1', [before]);
}

export const trafficRollUpsTable: Table<TrafficRollUps> = {
  name: 'traffic roll-ups',
  lock: 'stele traffic schema',
  schema: SCHEMA,
  access: TrafficRollUps,
  open: ({ pool }) => new TrafficRollUps(pool),
};
