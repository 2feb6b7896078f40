import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { createTable } from '../../../storage/tables/table.js';
import { RunWriters, runWritersTable } from './run-writers.js';

describe('The writer of a run', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let writers: RunWriters;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    writers = new RunWriters(pool);
    await createTable(pool, runWritersTable);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const ann = ['user ann', 'address 10.0.0.1'];
  const bob = ['user bob', 'address 10.0.0.1'];

  it('only the first caller can write to a run, across all processes', async () => {
    const elsewhere = new RunWriters(pool);
    expect(await writers.canWrite('run_1', ann)).toBe(true);
    expect(await writers.canWrite('run_1', bob)).toBe(false);
    expect(await elsewhere.canWrite('run_1', bob)).toBe(false);
    expect(await elsewhere.canWrite('run_1', ann)).toBe(true);
    expect(await writers.canWrite('run_2', bob)).toBe(true);
  });

  it('only one of several concurrent callers becomes the writer of a run', async () => {
    const processes = Array.from({ length: 8 }, () => new RunWriters(pool));
    const told = await Promise.all(processes.map((process, n) => process.canWrite('run_1', [`user ${n}`])));
    expect(told.filter((may) => may)).toHaveLength(1);
  });

  it('the writer of a run is cached between two events', async () => {
    await writers.canWrite('run_1', ann);
    await pool.query('drop table run_writers');
    expect(await writers.canWrite('run_1', ann)).toBe(true);
    expect(await writers.canWrite('run_1', bob)).toBe(false);
  });

  it('a run can have a new writer after its previous writer was forgotten', async () => {
    await writers.canWrite('run_1', ann);
    await writers.forget('run_1');
    expect(await writers.canWrite('run_1', bob)).toBe(true);
  });
});
