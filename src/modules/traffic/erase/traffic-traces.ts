import type { Pool } from 'pg';
import { answerTo } from '../../../storage/postgres/database-fault.js';

/** Entries that one statement deletes, at most: a site may have millions. */
const AT_ONCE = 10_000;

const DELETE_ENTRIES = `
delete from access_entries where site_id = $1 and id in (
  select id from access_entries where site_id = $1 order by id limit ${AT_ONCE}
)`;

const ROLL_UPS = ['traffic_hours', 'traffic_days', 'access_dropped'];

/** Sites after $1 that have anything; each table is asked for its next one by its index. */
const nextOf = (table: string) => `(select site_id from ${table} where site_id > $1 order by site_id limit 1)`;
const NEXT_SITE = `select min(site_id) as "siteId" from (${['access_entries', ...ROLL_UPS].map(nextOf).join(' union all ')}) as next`;

/** What of a site is in the tables of its traffic. */
export class TrafficTraces {
  constructor(private readonly pool: Pool) {}

  /** The first site after this one, in the order of their ids, that has any; null after the last. */
  async nextSite(after: string): Promise<string | null> {
    const { rows } = await answerTo(this.pool.query<{ siteId: string | null }>(NEXT_SITE, [after]));
    return rows[0]?.siteId ?? null;
  }

  /** Deletes all of them, entries of requests too. What is written or added up meanwhile stays for the next time. */
  async erase(siteId: string): Promise<void> {
    // Entries go first: roll-ups that are made after that have nothing to be made of.
    for (let deleted = AT_ONCE; deleted === AT_ONCE; ) {
      const { rowCount } = await answerTo(this.pool.query(DELETE_ENTRIES, [siteId]));
      deleted = rowCount ?? 0;
    }
    // A step that began before that is waited for.
    const all = ROLL_UPS.map((table, n) => `gone_${n} as (delete from ${table} where site_id = $1)`).join(', ');
    await answerTo(this.pool.query('select from traffic_progress for share'));
    await answerTo(this.pool.query(`with ${all} select`, [siteId]));
  }

  /** Where a follower of the log of this engine (`EventEngine.name`) has come to; null where it has not begun. */
  async position(engine: string): Promise<bigint | null> {
    const { rows } = await answerTo(
      this.pool.query<{ position: string }>(
        "select position::text from traffic_followed where name = 'deleted sites' and engine = $1",
        [engine],
      ),
    );
    const [row] = rows;
    return row ? BigInt(row.position) : null;
  }

  /** Remembers that it has come so far; several processes may, and one may be behind another. */
  async reached(engine: string, position: bigint): Promise<void> {
    await answerTo(
      this.pool.query(
        `insert into traffic_followed as f (name, engine, position) values ('deleted sites', $1, $2)
         on conflict (name) do update set engine = excluded.engine, position = excluded.position
           where f.engine <> excluded.engine or f.position < excluded.position`,
        [engine, String(position)],
      ),
    );
  }
}
