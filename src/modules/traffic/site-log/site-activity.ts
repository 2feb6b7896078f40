import type { Pool, PoolClient } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';
import type { ActivityEntry } from '../api/log-entry.js';
import { SiteLog } from '../api/site-log.js';

/** Number of days for which activity is kept. Older events are not recorded. */
export const ACTIVITY_KEPT_DAYS = 30;

const SCHEMA = `
create table if not exists activity_checkpoints (
  log      text primary key, -- positions mean nothing in another log
  position bigint not null
);
`;

export type NewActivity = Pick<ActivityEntry, 'siteId' | 'at' | 'kind' | 'level' | 'message' | 'data'> & {
  readonly event: string;
  readonly type: string;
  /** True if the entry reports that the site was deleted. The site's earlier activity is then deleted too. */
  readonly endsSite?: true;
};

type LogSpan = { readonly log: string; readonly before: bigint; readonly after: bigint };

const MOVE = 'update activity_checkpoints set position = $3 where log = $1 and position = $2';
/**
 * Moves the position in the event log without waiting for the disk. If a crash loses the update, the same part of the
 * log is read again.
 */
const PASS = `${MOVE} returning set_config('synchronous_commit', 'off', true)`;

/** Stores the activity of sites and the position in the event log in one transaction. */
export class SiteActivity {
  constructor(
    private readonly pool: Pool,
    private readonly siteLog = new SiteLog(pool),
  ) {}

  /** Returns the position up to which the event log was read, or 0 if it was never read. */
  async position(log: string): Promise<bigint> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ position: string }>('select position from activity_checkpoints where log = $1', [log]),
    );
    return BigInt(rows[0]?.position ?? 0);
  }

  async begin(log: string): Promise<void> {
    await awaitDatabase(
      this.pool.query('insert into activity_checkpoints values ($1, 0) on conflict do nothing', [log]),
    );
  }

  /**
   * Moves the position past a part of the event log that adds no entries, without waiting for the disk. Returns false
   * if another process has already moved it.
   */
  async pass({ log, before, after }: LogSpan): Promise<boolean> {
    const { rowCount } = await awaitDatabase(this.pool.query(PASS, [log, String(before), String(after)]));
    return rowCount === 1;
  }

  /**
   * Adds entries, oldest first, and moves the position in the event log. Returns false without adding any if another
   * process has already moved the position.
   */
  add({ log, before, after }: LogSpan, entries: readonly NewActivity[]): Promise<boolean> {
    return this.siteLog.add(async (client) => {
      const { rowCount } = await client.query(MOVE, [log, String(before), String(after)]);
      if (rowCount !== 1) return false;
      await insert(client, entries);
      const gone = entries.filter(({ endsSite }) => endsSite);
      for (const { siteId, event } of gone) {
        await client.query('delete from site_activity where site_id = $1 and event is distinct from $2', [
          siteId,
          event,
        ]);
      }
      return true;
    });
  }
}

/** Insert the entries one by one, so that their IDs are in the order of the event log. */
async function insert(client: PoolClient, entries: readonly NewActivity[]): Promise<void> {
  const columns = [
    entries.map(({ siteId }) => siteId),
    entries.map(({ at }) => at),
    entries.map(({ kind }) => kind),
    entries.map(({ level }) => level),
    entries.map(({ message }) => message),
    entries.map(({ type, data }) => JSON.stringify({ type, ...data })),
    entries.map(({ event }) => event),
  ];
  await client.query(
    `insert into site_activity (site_id, at, kind, level, message, data, event)
     select site_id, at, kind, level, message, data, event
     from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
       with ordinality as told (site_id, at, kind, level, message, data, event, number)
     order by number on conflict (event) do nothing`,
    columns,
  );
}

export const siteActivityTable: Table<SiteActivity> = {
  name: 'site activity',
  lock: 'stele site activity schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: `delete from site_activity where at < clock_timestamp() - interval '${ACTIVITY_KEPT_DAYS} days'`,
  },
  access: SiteActivity,
  open: ({ pool }) => new SiteActivity(pool),
};
