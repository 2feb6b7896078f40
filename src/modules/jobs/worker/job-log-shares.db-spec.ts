import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { cleanTable, createTable } from '../../../storage/tables/table.js';
import { JobLogShares, jobLogSharesTable } from './job-log-shares.js';

describe('JobLogShares', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    await createTable(pool, jobLogSharesTable);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it('limits the log output of an owner across all processes', async () => {
    const [one, other] = [new JobLogShares(pool), new JobLogShares(pool)];
    const taken = await Promise.all([one, other, one, other].map((each) => each.take('user:usr_1', 40, 100)));
    expect(taken.filter(Boolean)).toHaveLength(2);
    expect(await one.take('user:usr_1', 20, 100)).toBe(true);
    expect(await one.take('user:usr_1', 1, 100)).toBe(false);
    expect(await one.take('user:usr_2', 100, 100)).toBe(true);
    expect(await one.take('user:usr_3', 101, 100)).toBe(false);
  });

  it('resets an owner’s log limit after a day, and does not store the owner’s name', async () => {
    await pool.query('update job_log_shares set day = day - 1');
    expect(await new JobLogShares(pool).take('user:usr_1', 100, 100)).toBe(true);
    await cleanTable(pool, jobLogSharesTable);
    const { rows } = await pool.query('select share from job_log_shares');
    expect(rows).toEqual([{ share: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });
});
