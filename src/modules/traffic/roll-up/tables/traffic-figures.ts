import type { Pool } from 'pg';
import { awaitDatabase } from '../../../../storage/postgres/database-fault.js';
import { OTHER } from './roll-up-parts.js';
import { VisitorSketch } from './visitor-sketch.js';
import { type Span, truncateToDay, type WholeDays, wholeDays } from './whole-days.js';

/**
 * Traffic of an hour or day. Visitors are distinct only within a day (UTC), so a page that shows a sum of several days
 * must say so.
 */
export type TrafficPoint = {
  /** Start of the hour or day, in milliseconds since 1970. */
  readonly at: number;
  readonly visits: number;
  readonly visitors: number;
  readonly pageviews: number;
  readonly bytes: number;
};

export type TrafficDimension =
  | 'page'
  | 'entry'
  | 'referrer'
  | 'country'
  | 'browser'
  | 'system'
  | 'device'
  | 'status'
  | 'missing'
  | 'client';

export type TrafficValue = {
  readonly dimension: TrafficDimension;
  readonly value: string;
  readonly hits: number;
  readonly pageviews: number;
  readonly visits: number;
  /** Visitors of a page; for several days, the sum of the daily figures. */
  readonly visitors: number;
};

const POINTS_OF_DAYS = `
select extract(epoch from at) * 1000 as at, visits, visitors, pageviews, bytes
from traffic_days where site_id = $1 and at >= $2 and at < $3 and dimension = 'total' order by at`;

const POINTS_OF_HOURS = `
select extract(epoch from at) * 1000 as at, visits, visitors, pageviews, bytes
from traffic_hours where site_id = $1 and at >= $2 and at < $3 and dimension = 'total' order by at`;

/**
 * SQL that counts visitors in a range that begins at midnight. Adds up the newcomers, because each visitor of a day is
 * a newcomer in exactly one hour.
 */
const NEWCOMERS = `
select value, sum(newcomers)::bigint as visitors, null::bytea as sketch from traffic_hours
where site_id = $1 and at >= $2 and at < $3 and dimension = $4 and value = any($5::text[]) group by value`;

const SKETCHES = `
select value, visitors, sketch from traffic_hours
where site_id = $1 and at >= $2 and at < $3 and dimension = $4 and value = any($5::text[]) and visitors > 0`;

const DAYS_BEFORE = `
select case when isfinite(days_before) then extract(epoch from days_before) * 1000 else 0 end as at from traffic_progress`;

/**
 * SQL that finds the most frequent values of each dimension. Parameters $2, $3: whole days; $4, $5: starts and ends of
 * the partial days around them; $6: maximum number of values per dimension.
 */
const LARGEST_GROUPS_SQL = `
with parts as (
  select dimension, value, hits, pageviews, visits, visitors from traffic_days
  where site_id = $1 and at >= $2 and at < $3 and dimension <> 'total' and value <> '${OTHER}'
  union all
  select dimension, value, hits, pageviews, visits, 0 from unnest($4::timestamptz[], $5::timestamptz[]) as edge (since, until)
  join traffic_hours on site_id = $1 and at >= since and at < until and dimension <> 'total' and value <> '${OTHER}'
),
summed as (
  select dimension, value, sum(hits) as hits, sum(pageviews) as pageviews, sum(visits) as visits, sum(visitors) as visitors
  from parts group by 1, 2
),
ranked as (
  select *, row_number() over (
    partition by dimension
    order by case when dimension in ('page', 'status', 'missing', 'client') then hits else visits end desc, hits desc, value
  ) as rank
  from summed
)
select dimension, value, hits, pageviews, visits, visitors from ranked where rank <= $6 order by dimension, rank`;

export type TrafficOfSite = {
  readonly siteId: string;
  readonly hits: number;
  readonly pageviews: number;
  readonly bytes: number;
  readonly bots: number;
  readonly errors: number;
};

const ALL_SITES = `
with sites as (
  select site_id as "siteId", sum(hits) as hits, coalesce(sum(hits) filter (where client = 'person' and is_page), 0) as pageviews,
    sum(bytes::float8) as bytes, coalesce(sum(hits) filter (where client = 'robot'), 0) as bots,
    coalesce(sum(hits) filter (where status >= 500), 0) as errors
  from access_entries where at >= $1 and at < $2 and client <> 'probe' group by site_id
),
page as (select * from sites order by hits desc, "siteId" offset $3 limit $4)
select * from (select count(*) as total from sites) as of_all left join page on true order by hits desc, "siteId"`;

export class TrafficFigures {
  constructor(private readonly pool: Pool) {}

  /** Returns the traffic of each hour in the span, omitting hours without traffic. */
  async byHour(siteId: string, span: Span): Promise<TrafficPoint[]> {
    return this.#points(POINTS_OF_HOURS, siteId, span);
  }

  /**
   * Returns the traffic of each day in the span, omitting days without traffic. The first and last day include only the
   * requested hours.
   */
  async byDay(siteId: string, span: Span): Promise<TrafficPoint[]> {
    const { days, edges } = await this.#parts(span);
    const [whole, ...partial] = await Promise.all([
      this.#points(POINTS_OF_DAYS, siteId, days),
      ...edges.map((edge) => this.#edge(siteId, edge)),
    ]);
    return [...whole, ...partial.flat()].sort((one, other) => one.at - other.at);
  }

  /**
   * Returns the most frequent values of each dimension: pages, statuses, missing pages and clients by hits, all others
   * by visits.
   */
  async largest(siteId: string, span: Span, most: number): Promise<TrafficValue[]> {
    const { days, edges } = await this.#parts(span);
    const [since, until] = [edges.map(({ from }) => new Date(from)), edges.map(({ to }) => new Date(to))];
    const values = [siteId, new Date(days.from), new Date(days.to), since, until, most];
    const { rows } = await awaitDatabase(
      this.pool.query<Record<keyof TrafficValue, string>>(LARGEST_GROUPS_SQL, values),
    );
    const pages = rows.filter(({ dimension }) => dimension === 'page').map(({ value }) => value);
    const partial = await Promise.all(edges.map((edge) => this.#visitors(siteId, edge, 'page', pages)));
    return rows.map(({ dimension, value, hits, pageviews, visits, visitors }) => ({
      dimension: dimension as TrafficDimension,
      value,
      hits: Number(hits),
      pageviews: Number(pageviews),
      visits: Number(visits),
      visitors: partial.reduce((sum, of) => sum + (dimension === 'page' ? (of.get(value) ?? 0) : 0), Number(visitors)),
    }));
  }

  /** Counts requests that could not be recorded, on all days that overlap the span. */
  async dropped(siteId: string, { from, to }: Span): Promise<number> {
    const day = (at: number) => new Date(truncateToDay(at)).toISOString().slice(0, 10);
    const { rows } = await awaitDatabase(
      this.pool.query<{ hits: string }>(
        'select coalesce(sum(hits), 0) as hits from access_dropped where site_id = $1 and day between $2 and $3',
        [siteId, day(from), day(to - 1)],
      ),
    );
    return Number(rows[0]?.hits ?? 0);
  }

  /**
   * Returns a page of sites, busiest first, with traffic computed from the stored entries, and the total number of
   * sites.
   */
  async ofAllSites({ from, to }: Span, skip: number, take: number): Promise<{ rows: TrafficOfSite[]; total: number }> {
    const { rows } = await awaitDatabase(
      this.pool.query<Record<keyof TrafficOfSite | 'total', string | null>>(ALL_SITES, [
        new Date(from),
        new Date(to),
        skip,
        take,
      ]),
    );
    return {
      total: Number(rows[0]?.total),
      rows: rows.flatMap(({ siteId, hits, pageviews, bytes, bots, errors }) =>
        siteId === null
          ? []
          : {
              siteId,
              hits: Number(hits),
              pageviews: Number(pageviews),
              bytes: Number(bytes),
              bots: Number(bots),
              errors: Number(errors),
            },
      ),
    };
  }

  async #parts(span: Span): Promise<WholeDays> {
    const { rows } = await awaitDatabase(this.pool.query<{ at: string }>(DAYS_BEFORE));
    return wholeDays(span, Number(rows[0]?.at ?? 0));
  }

  async #points(statement: string, siteId: string, { from, to }: Span): Promise<TrafficPoint[]> {
    if (from >= to) return [];
    const { rows } = await awaitDatabase(
      this.pool.query<Record<keyof TrafficPoint, string>>(statement, [siteId, new Date(from), new Date(to)]),
    );
    return rows.map(({ at, visits, visitors, pageviews, bytes }) => ({
      at: Number(at),
      visits: Number(visits),
      visitors: Number(visitors),
      pageviews: Number(pageviews),
      bytes: Number(bytes),
    }));
  }

  async #edge(siteId: string, edge: Span): Promise<TrafficPoint[]> {
    const [hours, visitors] = await Promise.all([
      this.byHour(siteId, edge),
      this.#visitors(siteId, edge, 'total', ['']),
    ]);
    if (hours.length === 0) return [];
    const sum = (of: 'visits' | 'pageviews' | 'bytes') => hours.reduce((all, hour) => all + hour[of], 0);
    return [
      {
        at: truncateToDay(edge.from),
        visits: sum('visits'),
        visitors: visitors.get('') ?? 0,
        pageviews: sum('pageviews'),
        bytes: sum('bytes'),
      },
    ];
  }

  /** Counts distinct visitors in some hours of one day, for each value of the dimension. */
  async #visitors(siteId: string, { from, to }: Span, dimension: 'total' | 'page', values: readonly string[]) {
    const counted = new Map<string, number>();
    if (values.length === 0) return counted;
    const { rows } = await awaitDatabase(
      this.pool.query<{ value: string; visitors: string; sketch: Buffer | null }>(
        from === truncateToDay(from) ? NEWCOMERS : SKETCHES,
        [siteId, new Date(from), new Date(to), dimension, values],
      ),
    );
    for (const [value, hours] of Map.groupBy(rows, (row) => row.value)) {
      const [only] = hours;
      const sketch = new VisitorSketch();
      for (const hour of hours) if (hour.sketch) sketch.merge(hour.sketch);
      counted.set(value, hours.length === 1 ? Number(only?.visitors) : sketch.count());
    }
    return counted;
  }
}
