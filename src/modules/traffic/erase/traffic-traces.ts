import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';

/** Maximum number of log entries deleted by one statement, because a site may have millions. */
const AT_ONCE = 10_000;

const DELETE_ENTRIES = `
delete from access_entries where site_id = $1 and id in (
  select id from access_entries where site_id = $1 order by id limit ${AT_ONCE}
)`;

const ROLL_UPS = ['traffic_hours', 'traffic_days', 'access_dropped'];

/** SQL that finds the next site after $1 that has traffic, by a search in the index of each table. */
const nextOf = (table: string) => `(select site_id from ${table} where site_id > $1 order by site_id limit 1)`;
const NEXT_SITE = `select min(site_id) as "siteId" from (${['access_entries', ...ROLL_UPS].map(nextOf).join(' union all ')}) as next`;

export class TrafficTraces {
  constructor(private readonly pool: Pool) {}

  async nextSite(after: string): Promise<string | null> {
    const { rows } = await awaitDatabase(this.pool.query<{ siteId: string | null }>(NEXT_SITE, [after]));
    return rows[0]?.siteId ?? null;
  }

  /** Deletes all traffic of a site. Rows written during the call remain until the next call. */
  async erase(siteId: string): Promise<void> {
    // Delete entries first, so that later roll-ups find none to add up.
    for (let deleted = AT_ONCE; deleted === AT_ONCE; ) {
      const { rowCount } = await awaitDatabase(this.pool.query(DELETE_ENTRIES, [siteId]));
      deleted = rowCount ?? 0;
    }
    // Wait for a roll-up that began before the entries were deleted.
    const all = ROLL_UPS.map((table, n) => `gone_${n} as (delete from ${table} where site_id = $1)`).join(', ');
    await awaitDatabase(this.pool.query('select from traffic_progress for share'));
    await awaitDatabase(this.pool.query(`with ${all} select`, [siteId]));
  }

  /** Returns the position stored for the event log of an engine (`EventEngine.name`), or null if none is stored. */
  async position(engine: string): Promise<bigint | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ position: string }>(
        "select position::text from traffic_followed where name = 'deleted sites' and engine = $1",
        [engine],
      ),
    );
    const [row] = rows;
    return row ? BigInt(row.position) : null;
  }

  /**
   * Stores the position in the event log. Never moves it backward, because several processes may store their positions.
   */
  async reached(engine: string, position: bigint): Promise<void> {
    await awaitDatabase(
      this.pool.query(
        `insert into traffic_followed as f (name, engine, position) values ('deleted sites', $1, $2)
         on conflict (name) do update set engine = excluded.engine, position = excluded.position
           where f.engine <> excluded.engine or f.position < excluded.position`,
        [engine, String(position)],
      ),
    );
  }
}
