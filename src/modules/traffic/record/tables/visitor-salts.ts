import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { awaitDatabase } from '../../../../storage/postgres/database-fault.js';
import type { Table } from '../../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists visitor_salts (
  day  date primary key,
  salt bytea not null
);
`;

const BYTES = 32;

const DAY = "date '1970-01-01' + $1::int";

/** Salts for hashing visitors: one per day, shared by all processes, and destroyed afterwards. */
export class VisitorSalts {
  constructor(private readonly pool: Pool) {}

  /** Returns the salt of a day, which is created at the first call. */
  async of(day: number): Promise<Buffer> {
    const { rows } = await awaitDatabase(
      this.pool.query<{ salt: Buffer }>(
        `with made as (
           insert into visitor_salts (day, salt) values (${DAY}, $2) on conflict do nothing returning salt
         )
         select salt from made union all select salt from visitor_salts where day = ${DAY}`,
        [day, randomBytes(BYTES)],
      ),
    );
    const [row] = rows;
    // If no row was returned, another process has just created the salt, so read that one.
    return row === undefined ? this.of(day) : row.salt;
  }

  /** Deletes the salts of earlier days. Rewrites the table, so that they do not remain in dead rows. */
  async destroyBefore(day: number): Promise<void> {
    await awaitDatabase(this.pool.query(`delete from visitor_salts where day < ${DAY}`, [day]));
    await awaitDatabase(this.pool.query('vacuum full visitor_salts'));
  }
}

export const visitorSaltsTable: Table<VisitorSalts> = {
  name: 'visitor salts',
  lock: 'stele visitor salts schema',
  schema: SCHEMA,
  access: VisitorSalts,
  open: ({ pool }) => new VisitorSalts(pool),
};
