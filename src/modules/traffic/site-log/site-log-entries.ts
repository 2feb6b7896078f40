import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import { type LogEntry, type LogKind, type LogLevel, levelOfStatus } from '../api/log-entry.js';
import { type LogFilter, selectEntryKinds } from './log-filter.js';

/** An ID that is greater than that of any entry: the greatest integer that a double represents exactly. */
export const NO_ID = Number.MAX_SAFE_INTEGER;

/** Log entries are searched in portions of these sizes until there are enough matches for one response. */
const PORTIONS = [1_000, 10_000, 40_000] as const;

const DAY_MS = 86_400_000;

export type LogPart = {
  readonly entries: readonly LogEntry[];
  /** ID of the last entry searched, or null if the search reached the end. */
  readonly reached: number | null;
};

type Bounds = {
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
};

type SiteLogRow = {
  readonly id: string;
  readonly site_id: string;
  readonly at: Date;
  readonly kind: LogKind;
  readonly level: LogLevel;
  readonly hits: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: string;
  readonly ms: number;
  readonly referrer: string | null;
  readonly client: string;
  readonly visitor: string | null;
  readonly message: string;
  readonly data: string;
};

const ACCESS = `select id, site_id, at, 'access' as kind,
  case when status >= 500 then 'error' when status >= 400 then 'warn' else 'info' end as level,
  hits, method, path, status, bytes, ms, referrer, client, visitor, null::text as message, null::text as data
  from access_entries`;

const ACTIVITY = `select id, site_id, at, kind, level,
  null::integer as hits, null::text as method, null::text as path, null::smallint as status, null::bigint as bytes,
  null::real as ms, null::text as referrer, null::text as client, null::bigint as visitor, message, data
  from site_activity`;

const NOTHING = `${ACTIVITY} where false`;

export class SiteLogEntries {
  constructor(
    private readonly pool: Pool,
    private readonly showsAccess: boolean,
  ) {}

  newest(siteId: string, filter: LogFilter, bounds: Bounds): Promise<LogPart> {
    return this.#look(siteId, filter, 'desc', bounds);
  }

  oldest(siteId: string, filter: LogFilter, bounds: Bounds): Promise<LogPart> {
    return this.#look(siteId, filter, 'asc', bounds);
  }

  /**
   * Returns the latest ID that a log entry was given. Waits for running writes, so that all entries up to this ID are
   * visible and later ones get greater IDs.
   */
  async end(): Promise<number> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ end: string }>(
        `with quiet as materialized (select pg_advisory_xact_lock_shared(hashtextextended('stele site log', 0)))
         select last_value - (not is_called)::integer as end from quiet, site_log_ids`,
      ),
    );
    return Number(rows[0]?.end ?? 0);
  }

  /**
   * Returns log entries of several sites after an ID, in order. Requests are only included if they were made after
   * `since` (milliseconds since 1970).
   */
  async ofAll(siteIds: readonly string[], after: number, since: number, limit: number): Promise<readonly LogEntry[]> {
    const access = this.showsAccess
      ? `${ACCESS} where site_id = any($1) and id > $2 and at > $3 order by id limit $4`
      : `${NOTHING} and $3::timestamptz is null`;
    const activity = `${ACTIVITY} where site_id = any($1) and id > $2 order by id limit $4`;
    const { rows } = await awaitDatabase(
      this.pool.query<SiteLogRow>(
        `select * from ((${access}) union all (${activity})) every_kind order by id limit $4`,
        [siteIds, after, new Date(since), limit],
      ),
    );
    return rows.map(entryOf);
  }

  async #look(siteId: string, filter: LogFilter, order: 'asc' | 'desc', bounds: Bounds): Promise<LogPart> {
    const { limit } = bounds;
    let { after = 0, before = NO_ID } = bounds;
    const entries: LogEntry[] = [];
    for (const portion of isNarrow(filter) ? PORTIONS : [limit + 1]) {
      const { found, looked, last } = await this.#portion(siteId, filter, order, {
        after,
        before,
        limit: limit - entries.length,
        portion,
      });
      entries.push(...found);
      const end = entries.length === limit ? entries.at(-1)?.id : last;
      if (end === undefined || (looked < portion && entries.length < limit)) return { entries, reached: null };
      if (entries.length === limit) return { entries, reached: looked < portion && end === last ? null : end };
      if (order === 'desc') before = end;
      else after = end;
    }
    return { entries, reached: order === 'desc' ? before : after };
  }

  async #portion(
    siteId: string,
    filter: LogFilter,
    order: 'asc' | 'desc',
    { after, before, limit, portion }: Required<Bounds> & { readonly portion: number },
  ) {
    const asked = selectEntryKinds(filter);
    const showsAccess = asked.access && this.showsAccess;
    if (!showsAccess && !asked.activity) return { looked: 0, last: undefined, found: [] };
    const given: unknown[] = [siteId, after, before, portion, limit];
    const value = (each: unknown) => `$${given.push(each)}`;
    const within = `where site_id = $1 and id > $2 and id < $3`;
    const ordered = `order by id ${order} limit $4`;
    const access = showsAccess ? `${ACCESS} ${within} ${days(filter, value)} ${ordered}` : NOTHING;
    const activity = asked.activity ? `${ACTIVITY} ${within} ${ordered}` : NOTHING;
    const { rows } = await awaitDatabase(
      this.pool.query<SiteLogRow & { readonly looked: number; readonly last: string | null }>(
        `with seen as materialized (select * from ((${access}) union all (${activity})) every_kind ${ordered})
         select counted.*, found.* from
           (select count(*)::integer as looked, ${order === 'desc' ? 'min' : 'max'}(id) as last from seen) counted
           left join (select * from seen where ${conditions(filter, value)} order by id ${order} limit $5) found on true
         order by found.id ${order}`,
        given,
      ),
    );
    const [first] = rows;
    return {
      looked: first?.looked ?? 0,
      last: first?.last ? Number(first.last) : undefined,
      found: rows.filter(({ id }) => id !== null).map(entryOf),
    };
  }
}

/** Reports whether the filter has any condition, and can therefore exclude entries. */
const isNarrow = (filter: LogFilter) => Object.values(filter).some((each) => each !== undefined);

/** SQL that limits the search to whole days, so that PostgreSQL reads only the partitions of these days. */
function days({ since, until }: LogFilter, value: (each: unknown) => string): string {
  const day = (time: number) => new Date(Math.floor(time / DAY_MS) * DAY_MS);
  return [
    ...(since === undefined ? [] : [`and at >= ${value(day(Date.parse(since)))}`]),
    ...(until === undefined ? [] : [`and at < ${value(day(Date.parse(until) + DAY_MS))}`]),
  ].join(' ');
}

/** SQL form of the conditions in `passes` (log-filter.ts). */
function conditions(filter: LogFilter, value: (each: unknown) => string): string {
  const { kind, level, status, path, q, since, until } = filter;
  const all = [
    ...(kind ? [`kind = any(${value(kind)})`] : []),
    ...(level ? [`level = any(${value(level)})`] : []),
    ...(status
      ? [`(${status.map(([from, to]) => `status between ${value(from)} and ${value(to)}`).join(' or ')})`]
      : []),
    ...(path === undefined ? [] : [`starts_with(path, ${value(path)})`]),
    ...(q === undefined ? [] : [`strpos(lower(${MESSAGE} collate "C"), lower(${value(q)}::text collate "C")) > 0`]),
    ...(since === undefined ? [] : [`at >= ${value(new Date(since))}`]),
    ...(until === undefined ? [] : [`at < ${value(new Date(until))}`]),
  ];
  return all.join(' and ') || 'true';
}

/** SQL form of `formatLogMessage` (log-entry.ts). */
const MESSAGE = `coalesce(message, method || ' ' || path || ' ' || status)`;

/** Encodes the hash of a visitor: eight bytes in big-endian order, as base64url. */
function visitorOf(hash: string): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(hash));
  return bytes.toString('base64url');
}

function entryOf(row: SiteLogRow): LogEntry {
  const all = { id: Number(row.id), siteId: row.site_id, at: row.at.toISOString() };
  if (row.kind !== 'access') {
    const { type, ...data }: Record<string, unknown> = JSON.parse(row.data);
    const { kind, level, message } = row;
    return { ...all, kind, level, message, type: typeof type === 'string' ? type : null, data };
  }
  const { kind, hits, method, path, status, bytes, ms, referrer, client, visitor } = row;
  return {
    ...all,
    kind,
    level: levelOfStatus(status),
    hits,
    method,
    path,
    status,
    bytes: Number(bytes),
    ms,
    referrer,
    client,
    visitor: visitor === null ? null : visitorOf(visitor),
  };
}
