import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { createTable } from '../../../../storage/tables/table.js';
import { computeDayNumber } from './access-partitions.js';
import { VisitorSalts, visitorSaltsTable } from './visitor-salts.js';

const TODAY = computeDayNumber(Date.UTC(2026, 10, 24));

describe('Visitor salts', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    await createTable(pool, visitorSaltsTable);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const days = async () =>
    (await pool.query('select day::text from visitor_salts order by 1')).rows.map(({ day }) => day);

  it('salts are the same in all processes on one day, even for simultaneous calls', async () => {
    const processes = Array.from({ length: 8 }, () => new VisitorSalts(pool));
    const salts = await Promise.all(processes.map((each) => each.of(TODAY)));
    expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(1);
    expect(salts[0]).toHaveLength(32);
    expect(await processes[0]?.of(TODAY + 1)).not.toEqual(salts[0]);
    expect(await days()).toEqual(['2026-11-24', '2026-11-25']);
  });

  it('salts are destroyed after their day, so that visitor hashes can’t be reproduced', async () => {
    const salts = new VisitorSalts(pool);
    const before = await salts.of(TODAY);
    await salts.of(TODAY + 1);
    await salts.destroyBefore(TODAY + 1);
    expect(await days()).toEqual(['2026-11-25']);
    expect(await salts.of(TODAY)).not.toEqual(before);
  });

  it('salts leave no trace in the table’s files once they are destroyed', async () => {
    const salts = new VisitorSalts(pool);
    const salt = await salts.of(TODAY);
    const kept = await salts.of(TODAY + 1);
    await salts.destroyBefore(TODAY + 1);
    await pool.query('checkpoint');
    const { rows } = await pool.query("select pg_read_binary_file(pg_relation_filepath('visitor_salts')) as bytes");
    const [{ bytes }] = rows;
    expect([bytes.includes(kept), bytes.includes(salt)]).toEqual([true, false]);
  });
});
