import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists job_log_shares (
  day        date not null,
  share      text not null,        -- SHA-256 digest
  characters bigint not null,
  primary key (day, share)
);
`;

const TAKE = `
insert into job_log_shares as s (day, share, characters)
select (clock_timestamp() at time zone 'utc')::date, $1, $2::bigint where $2::bigint <= $3::bigint
on conflict (day, share) do update set characters = s.characters + $2 where s.characters + $2 <= $3`;

/** Counts how much each owner's jobs have logged per day (UTC). */
export class JobLogShares {
  constructor(private readonly pool: Pool) {}

  /**
   * Counts characters towards an owner's daily limit for logs. Returns false without counting them if the day's total
   * would exceed `most`. Exact even if several processes do this concurrently.
   */
  async take(share: string, characters: number, most: number): Promise<boolean> {
    const values = [hash('sha256', share), characters, most];
    const { rowCount } = await awaitDatabase(this.pool.query(TAKE, values));
    return rowCount === 1;
  }
}

export const jobLogSharesTable: Table<JobLogShares> = {
  name: 'job log shares',
  lock: 'stele job log shares schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: "delete from job_log_shares where day < (clock_timestamp() at time zone 'utc')::date",
  },
  access: JobLogShares,
  open: ({ pool }) => new JobLogShares(pool),
};
