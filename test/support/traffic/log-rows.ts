import type { Stele } from '../service/stele.js';

/** A request in the access log. Omitted members have default values. */
export type AccessRow = {
  /** Time of the request. Defaults to now, because live streams show no requests that are older than a day. */
  readonly at?: Date;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly hits?: number;
  readonly bytes?: number;
  readonly ms?: number;
  readonly referrer?: string | null;
  readonly client?: string;
  readonly visitor?: string | null;
};

type Database = { query(sql: string, values?: unknown[]): Promise<{ rows: { id: string }[] }> };

const INSERT = `
  insert into access_entries (site_id, at, hits, method, path, status, bytes, ms, referrer, client, is_page, counted, visitor)
  select $1, at, hits, method, path, status, bytes, ms, referrer, client, false, false, visitor
  from json_to_recordset($2::json) as given
    (at timestamptz, hits integer, method text, path text, status smallint, bytes bigint, ms real, referrer text,
     client text, visitor bigint, number integer)
  order by number returning id`;

/**
 * Writes requests to the access log like the processes that serve sites: in order, under the lock that all writers
 * share, and with a notification for listeners. Returns the IDs of the entries.
 */
export async function writeAccess(db: Database, siteId: string, rows: readonly AccessRow[]): Promise<number[]> {
  const given = rows.map((row, number) => ({
    number,
    at: row.at ?? new Date(),
    hits: row.hits ?? 1,
    method: row.method ?? 'GET',
    path: row.path ?? '/',
    status: row.status ?? 200,
    bytes: row.bytes ?? 1_234,
    ms: row.ms ?? 1.5,
    referrer: row.referrer ?? null,
    client: row.client ?? 'person',
    visitor: row.visitor ?? null,
  }));
  await makePartitions(
    db,
    given.map(({ at }) => at),
  );
  await db.query("begin; select pg_advisory_xact_lock(hashtextextended('stele site log', 0))");
  try {
    const { rows: written } = await db.query(INSERT, [siteId, JSON.stringify(given)]);
    await db.query('notify stele_site_log; commit');
    return written.map(({ id }) => Number(id));
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}

/**
 * Creates the partitions of the access log for these days. Takes the same lock as `AccessPartitions`, because
 * concurrent writers may create the same partitions.
 */
async function makePartitions(db: Database, times: readonly Date[]): Promise<void> {
  const days = new Set(times.map((at) => at.toISOString().slice(0, 10)));
  await db.query("begin; select pg_advisory_xact_lock(hashtextextended('stele access partitions', 0))");
  try {
    for (const day of days)
      await db.query(
        `create table if not exists access_entries_${day.replaceAll('-', '')} partition of access_entries
         for values from ('${day} 00:00:00+00') to ('${day} 00:00:00+00'::timestamptz + interval '24 hours')`,
      );
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}

export async function siteIdOf(stele: Stele, slug: string, headers: Record<string, string>): Promise<string> {
  const { body } = await stele.api.get(`/v1/sites/${slug}`).set(headers).expect(200);
  return body.id;
}
