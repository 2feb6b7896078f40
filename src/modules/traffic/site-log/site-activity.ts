import type { Pool, PoolClient } from 'pg';
import { answerTo } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';
import type { ActivityEntry } from '../api/log-entry.js';
import { SiteLog } from '../api/site-log.js';

/** How long activity is kept, in days: what is older is not written down any more either. */
export const ACTIVITY_KEPT_DAYS = 30;

const SCHEMA = `
create table if not exists activity_checkpoints (
  log      text primary key, -- positions mean nothing in another log
  position bigint not null
);
`;

/** What is written down of one event. */
export type NewActivity = Pick<ActivityEntry, 'siteId' | 'at' | 'kind' | 'level' | 'message' | 'data'> & {
  /** The id of the event. */
  readonly event: string;
  readonly type: string;
  /** The site is gone: nothing of before is kept. */
  readonly endsSite?: true;
};

/** A part of the log: behind one position, up to another. */
type LogSpan = { readonly log: string; readonly before: bigint; readonly after: bigint };

const MOVE = 'update activity_checkpoints set position = $3 where log = $1 and position = $2';
/** What a crash takes back is only read again. */
const PASS = `${MOVE} returning set_config('synchronous_commit', 'off', true)`;

/** What happened to sites besides requests, and how far the log was read for it. Both move together or not at all. */
export class SiteActivity {
  constructor(
    private readonly pool: Pool,
    private readonly siteLog = new SiteLog(pool),
  ) {}

  /** Up to which position the log was read; 0 for one that never was. */
  async position(log: string): Promise<bigint> {
    const { rows } = await answerTo(
      this.pool.query<{ position: string }>('select position from activity_checkpoints where log = $1', [log]),
    );
    return BigInt(rows[0]?.position ?? 0);
  }

  async begin(log: string): Promise<void> {
    await answerTo(this.pool.query('insert into activity_checkpoints values ($1, 0) on conflict do nothing', [log]));
  }

  /**
   * Passes over a part of which nothing is told, without waiting for the disk, as most of the log tells nothing. False
   * when another process has moved on from there already.
   */
  async pass({ log, before, after }: LogSpan): Promise<boolean> {
    const { rowCount } = await answerTo(this.pool.query(PASS, [log, String(before), String(after)]));
    return rowCount === 1;
  }

  /**
   * Adds what a part of the log tells, oldest first. False, and nothing is added, when another process has moved on
   * from there already.
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

/** One after the other, so that ids are in the order of the log. */
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
