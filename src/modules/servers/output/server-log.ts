import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';
import type { LogLevel } from '../../traffic/api/log-entry.js';
import { SiteLog } from '../../traffic/api/site-log.js';

/** A line printed by a server, or a message about the server itself. */
export type ServerLine = {
  readonly siteId: string;
  /** When the line was printed, as an RFC 3339 timestamp. */
  readonly at: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly deployId: string;
  /** Stream to which the server printed the line; null for a message about the server. */
  readonly stream: 'stdout' | 'stderr' | null;
};

type EntryData = { readonly deployId?: string; readonly stream?: string };

/** Number of lines kept per site. The oldest lines are deleted first. */
const MAX_LINES = 20_000;

const MAX_SEARCHED = 500;

/** Beginning of the log entry about a crash, which is written after all output of the server. */
export const CRASHED = 'Crashed: ';

export class ServerLog {
  constructor(
    private readonly pool: Pool,
    private readonly siteLog = new SiteLog(pool),
  ) {}

  /**
   * Returns the last lines that a deploy’s server printed before its last crash, oldest first; null if the log has no
   * crash yet. Rejects with `StoreUnavailableError`.
   */
  async linesBeforeCrash(siteId: string, deployId: string, count: number): Promise<readonly string[] | null> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ message: string; data: string }>(
        `select message, data from site_activity where site_id = $1 and kind = 'server' order by id desc limit ${MAX_SEARCHED}`,
        [siteId],
      ),
    );
    const entries = rows.map(({ message, data }) => ({ message, ...(JSON.parse(data) as EntryData) }));
    const ofDeploy = entries.filter((entry) => entry.deployId === deployId);
    const crash = ofDeploy.findIndex(({ message, stream }) => stream === undefined && message.startsWith(CRASHED));
    if (crash < 0) return null;
    const before = ofDeploy.slice(crash + 1);
    const earlier = before.findIndex(({ message, stream }) => stream === undefined && message.startsWith(CRASHED));
    const printed = (earlier < 0 ? before : before.slice(0, earlier)).filter(({ stream }) => stream !== undefined);
    return printed
      .slice(0, count)
      .map(({ message }) => message)
      .reverse();
  }

  /** Adds lines. If it rejects with `StoreUnavailableError`, it is unknown whether the lines were added. */
  async add(lines: readonly ServerLine[]): Promise<void> {
    await this.siteLog.add((client) =>
      client.query(
        `insert into site_activity (site_id, at, kind, level, message, data)
         select site_id, at, 'server', level, message, data
         from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
           with ordinality as told (site_id, at, level, message, data, number) order by number`,
        [
          lines.map(({ siteId }) => siteId),
          lines.map(({ at }) => at),
          lines.map(({ level }) => level),
          lines.map(({ message }) => message),
          lines.map(({ deployId, stream }) => JSON.stringify({ deployId, ...(stream !== null && { stream }) })),
        ],
      ),
    );
  }
}

export const serverLogTable: Table<ServerLog> = {
  name: 'server log',
  lock: 'stele server log schema',
  schema: '',
  cleaning: {
    everyMs: 900_000,
    statement: `delete from site_activity a using (
        select site_id, id from (
          select site_id, id, row_number() over (partition by site_id order by id desc) as number
          from site_activity where kind = 'server') as numbered where number = ${MAX_LINES}) as last
      where a.site_id = last.site_id and a.kind = 'server' and a.id < last.id`,
  },
  access: ServerLog,
  open: ({ pool }) => new ServerLog(pool),
};
