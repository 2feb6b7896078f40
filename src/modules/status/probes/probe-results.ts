import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import { transaction } from '../../../storage/postgres/transaction.js';
import type { Table } from '../../../storage/tables/table.js';

export type ProbeResult = {
  readonly component: string;
  readonly at: Date;
  readonly isWell: boolean;
  readonly ms: number;
  /** Short reason for a failure, shown on the status page. Null after a success. */
  readonly reason: string | null;
};

/**
 * Results of a component on one day (UTC): the number of minutes in which every probe succeeded, and the number of
 * minutes with a failure.
 */
export type StatusDay = {
  /** The day in the form `YYYY-MM-DD` (UTC). */
  readonly day: string;
  readonly component: string;
  readonly well: number;
  readonly failing: number;
  /** Start of the first minute of the day for which there is a result. */
  readonly since: Date;
};

/** The latest result of a component. `since` is when the component became operational or began to fail. */
export type LatestResult = ProbeResult & { readonly since: Date };

export type StatusRecords = { readonly days: readonly StatusDay[]; readonly latest: readonly LatestResult[] };

const SCHEMA = `
create table if not exists status_minutes (
  minute    timestamptz not null,
  component text not null,
  well      integer not null,
  failing   integer not null,
  primary key (minute, component)
);
create table if not exists status_days (
  day       date not null,
  component text not null,
  well      integer not null,
  failing   integer not null,
  since     timestamptz not null,
  primary key (day, component)
);
create table if not exists status_latest (
  component text primary key,
  at        timestamptz not null,
  is_well   boolean not null,
  ms        integer not null,
  reason    text,
  since     timestamptz not null
);
create table if not exists status_turns (
  name     text primary key,
  taken_at timestamptz not null
);
`;

/** Number of recent days whose totals are recomputed when results are recorded. Older results are not counted. */
const FOLDED_DAYS = 2;

const MINUTES = `
insert into status_minutes (minute, component, well, failing)
select date_trunc('minute', at), component, count(*) filter (where is_well), count(*) filter (where not is_well)
from unnest($1::timestamptz[], $2::text[], $3::boolean[]) as given (at, component, is_well)
where at > now() - interval '${FOLDED_DAYS} days'
group by 1, 2
on conflict (minute, component) do update
  set well = status_minutes.well + excluded.well, failing = status_minutes.failing + excluded.failing`;

/**
 * SQL that adds up the minutes of each day. A minute with a failure counts as failing, even if other probes succeeded
 * in it.
 */
const DAYS = `
insert into status_days (day, component, well, failing, since)
select (minute at time zone 'utc')::date, component, count(*) filter (where failing = 0),
  count(*) filter (where failing > 0), min(minute)
from status_minutes
where (minute at time zone 'utc')::date in (select distinct (at at time zone 'utc')::date from unnest($1::timestamptz[]) as given (at))
  and minute >= (date_trunc('day', now() at time zone 'utc') - interval '${FOLDED_DAYS - 1} days') at time zone 'utc'
group by 1, 2
on conflict (day, component) do update
  set well = excluded.well, failing = excluded.failing, since = least(status_days.since, excluded.since)`;

const LATEST = `
insert into status_latest (component, at, is_well, ms, reason, since)
select distinct on (component) component, at, is_well, ms, reason, at
from unnest($1::timestamptz[], $2::text[], $3::boolean[], $4::integer[], $5::text[]) as given (at, component, is_well, ms, reason)
order by component, at desc
on conflict (component) do update
  set at = excluded.at, is_well = excluded.is_well, ms = excluded.ms, reason = excluded.reason,
    since = case when status_latest.is_well = excluded.is_well then status_latest.since else excluded.since end
  where status_latest.at <= excluded.at`;

/**
 * SQL that claims the current period for probing. Periods are $2 milliseconds long and start at multiples of that. Only
 * the first process to claim a period gets it.
 */
const TAKE = `
with turn as (select to_timestamp(floor(extract(epoch from clock_timestamp()) * 1000 / $2) * $2 / 1000) as begun)
insert into status_turns (name, taken_at) select $1, begun from turn
on conflict (name) do update set taken_at = excluded.taken_at where status_turns.taken_at < excluded.taken_at
returning taken_at`;

/**
 * Stores the probe results of each component, by minute and by day. They are not part of the event log, and rebuilding
 * read models does not affect them. Daily results are kept for ninety days.
 */
export class ProbeResultStore {
  constructor(private readonly pool: Pool) {}

  /** Claims the current period of `everyMs` for the caller. Returns false if another process has already claimed it. */
  async takeTurn(everyMs: number): Promise<boolean> {
    const { rowCount } = await awaitDatabase(this.pool.query(TAKE, ['probes', everyMs]));
    return rowCount === 1;
  }

  async noteReached(host: string): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `insert into status_turns (name, taken_at) values ($1, clock_timestamp())
         on conflict (name) do update set taken_at = excluded.taken_at`,
        [`reached ${host}`],
      ),
    );
  }

  async wasReached(host: string): Promise<boolean> {
    const { rowCount } = await awaitDatabase(
      this.pool.query("select from status_turns where name = $1 and taken_at > now() - interval '7 days'", [
        `reached ${host}`,
      ]),
    );
    return rowCount === 1;
  }

  /**
   * Records all of the given probe results or none. Some may be from earlier probes, if the database was unavailable.
   */
  async record(results: readonly ProbeResult[]): Promise<void> {
    if (results.length === 0) return;
    const [at, component] = [results.map((each) => each.at), results.map((each) => each.component)];
    const isWell = results.map((each) => each.isWell);
    const ms = results.map((each) => Math.round(each.ms));
    const reason = results.map((each) => each.reason);
    await transaction(this.pool, async (client) => {
      await client.query(MINUTES, [at, component, isWell]);
      await client.query(DAYS, [at]);
      await client.query(LATEST, [at, component, isWell, ms, reason]);
    });
  }

  /** Returns the results of the last ninety days including today. Days without any result are omitted. */
  async read(): Promise<StatusRecords> {
    const [days, latest] = await awaitDatabase(
      Promise.all([
        this.pool.query<StatusDay>(
          `select day::text, component, well, failing, since from status_days
           where day > (now() at time zone 'utc')::date - 90 order by day, component`,
        ),
        this.pool.query<LatestResult>(
          'select component, at, is_well as "isWell", ms, reason, since from status_latest',
        ),
      ]),
    );
    return { days: days.rows, latest: latest.rows };
  }
}

export const probeResultsTable: Table<ProbeResultStore> = {
  name: 'probe results',
  lock: 'stele probe results schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: `delete from status_minutes where minute < now() - interval '${FOLDED_DAYS + 1} days';
      delete from status_days where day <= (now() at time zone 'utc')::date - 90`,
  },
  access: ProbeResultStore,
  open: ({ pool }) => new ProbeResultStore(pool),
};
