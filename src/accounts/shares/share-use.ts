import { createHmac, hkdfSync } from 'node:crypto';
import type { Pool } from 'pg';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';

export type ShareCounter = 'deploy bytes' | 'access bytes';

const SCHEMA = `
create table if not exists share_use (
  counter text   not null,
  share   bytea  not null, -- keyed hash of a user or network
  day     date   not null, -- UTC
  amount  bigint not null,
  primary key (counter, share, day)
);
`;

/**
 * SQL that adds an amount to what a user or network (a share) has used today. Changes nothing if the total would exceed
 * the limit.
 */
const TAKE = `
insert into share_use (counter, share, day, amount)
select $1, $2, (clock_timestamp() at time zone 'utc')::date, $3::bigint where $3::bigint <= $4::bigint
on conflict (counter, share, day) do update set amount = share_use.amount + excluded.amount
  where share_use.amount + excluded.amount <= $4::bigint
returning amount`;

/** Amount that each user or network (a share) has used today, in all processes together. */
export class ShareUse {
  readonly #key: Buffer;

  constructor(
    private readonly pool: Pool,
    rootKey: Buffer,
  ) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele share use', 32));
  }

  /** Returns a keyed hash of the name of a user or network (a share). The hash is safe to store. */
  hashOf(share: string): Buffer {
    return createHmac('sha256', this.#key).update(share).digest().subarray(0, 16);
  }

  /**
   * Adds the amount to what a user or network (a share) has used today. If the total would exceed `most`, adds nothing
   * and returns false.
   */
  async take(counter: ShareCounter, share: string, amount: number, most: number): Promise<boolean> {
    const { rowCount } = await awaitDatabase(this.pool.query(TAKE, [counter, this.hashOf(share), amount, most]));
    return rowCount === 1;
  }
}

export const shareUseTable: Table<ShareUse> = {
  name: 'use of shares',
  lock: 'stele share use schema',
  schema: SCHEMA,
  cleaning: {
    everyMs: 3_600_000,
    statement: "delete from share_use where day < (clock_timestamp() at time zone 'utc')::date - 1",
  },
  access: ShareUse,
  open: ({ pool, rootKey }) => new ShareUse(pool, rootKey),
};
