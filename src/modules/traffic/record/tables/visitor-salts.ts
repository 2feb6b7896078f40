import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { answerTo } from '../../../../storage/postgres/database-fault.js';
import type { Table } from '../../../../storage/tables/table.js';

const SCHEMA = `
create table if not exists visitor_salts (
  day  date primary key,
  salt bytea not null
);
`;

const BYTES = 32;

/** Days are of UTC, counted from 1970. */
const DAY = "date '1970-01-01' + $1::int";

/** What visitors are hashed with: one salt for each day, which all processes share, and which is destroyed after it. */
export class VisitorSalts {
  constructor(private readonly pool: Pool) {}

  /** The salt of a day; made by the first that asks for it. */
  async of(day: number): Promise<Buffer> {
    const { rows } = await answerTo(
      this.pool.query<{ salt: Buffer }>(
        `with made as (
           insert into visitor_salts (day, salt) values (${DAY}, $2) on conflict do nothing returning salt
         )
         select salt from made union all select salt from visitor_salts where day = ${DAY}`,
        [day, randomBytes(BYTES)],
      ),
    );
    const [row] = rows;
    // Another process made it while this one was looking.
    return row === undefined ? this.of(day) : row.salt;
  }

  /** Destroys those of the days before this one. The table is written anew, so that no dead row keeps one. */
  async destroyBefore(day: number): Promise<void> {
    await answerTo(this.pool.query(`delete from visitor_salts where day < ${DAY}`, [day]));
    await answerTo(this.pool.query('vacuum full visitor_salts'));
  }
}

export const visitorSaltsTable: Table<VisitorSalts> = {
  name: 'visitor salts',
  lock: 'stele visitor salts schema',
  schema: SCHEMA,
  access: VisitorSalts,
  open: ({ pool }) => new VisitorSalts(pool),
};
