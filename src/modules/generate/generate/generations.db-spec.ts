import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { cleanTable, createTable } from '../../../storage/tables/table.js';
import { Generations, generationsTable } from './generations.js';

describe('The daily count of prompts', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pools: pg.Pool[];
  let one: Generations;
  /** A second instance on the same database, which represents another process. */
  let other: Generations;
  beforeEach(async () => {
    database = await freshDatabase();
    pools = [new pg.Pool(database.config), new pg.Pool(database.config)];
    [one, other] = pools.map((pool) => new Generations(pool)) as [Generations, Generations];
    await createTable(pools[0] as pg.Pool, generationsTable);
  });
  afterEach(async () => {
    for (const pool of pools) await pool.end();
    await database.drop();
  });

  const limits = { perDay: 5, perDayInAll: 8 };
  const taken = (answers: readonly unknown[]) => answers.filter((answer) => typeof answer !== 'string').length;
  const rows = async () => (await (pools[0] as pg.Pool).query('select person, taken from generations order by 1')).rows;

  it('concurrent prompts in different processes are each counted once, per user and in total', async () => {
    const of = (userId: string) =>
      Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).take(userId, limits)));
    const [mine, theirs] = await Promise.all([of('usr_1'), of('usr_2')]);
    expect([taken(mine) <= 5, taken(theirs) <= 5, taken(mine) + taken(theirs)]).toEqual([true, true, 8]);
    expect((await rows())[0]).toEqual({ person: '', taken: 8 });
  });

  it('a refused prompt is not counted, and the refusal names the exceeded limit', async () => {
    for (let n = 0; n < 5; n++) await one.take('usr_1', limits);
    expect(await one.take('usr_1', limits)).toBe('person');
    for (let n = 0; n < 3; n++) await one.take('usr_2', limits);
    expect(await one.take('usr_2', limits)).toBe('all');
    expect(await rows()).toEqual([
      { person: '', taken: 8 },
      { person: 'usr_1', taken: 5 },
      { person: 'usr_2', taken: 3 },
    ]);
  });

  it('the count decreases when a prompt is refunded', async () => {
    const counted = await one.take('usr_1', { perDay: 1, perDayInAll: 1 });
    if (typeof counted === 'string') throw new Error('was not counted');
    await other.giveBack(counted);
    expect(taken([await one.take('usr_1', { perDay: 1, perDayInAll: 1 })])).toBe(1);
  });

  it('the count starts again each day and is deleted two days later', async () => {
    const [pool] = pools as [pg.Pool];
    await one.take('usr_1', { perDay: 1, perDayInAll: 1 });
    await pool.query('update generations set day = day - 1');
    expect(taken([await one.take('usr_1', { perDay: 1, perDayInAll: 1 })])).toBe(1);
    await pool.query('update generations set day = day - 1');
    await cleanTable(pool, generationsTable);
    expect(await rows()).toHaveLength(2);
    await pool.query('update generations set day = day - 1');
    await cleanTable(pool, generationsTable);
    expect(await rows()).toEqual([]);
  });

  it('the count no longer names a user whose account was erased', async () => {
    await one.take('usr_1', limits);
    await one.forget({ userId: 'usr_1', email: 'a@example.com' });
    expect(await rows()).toEqual([{ person: '', taken: 1 }]);
  });

  it('returns the number of seconds until the next day', () => {
    expect(one.secondsLeft(Date.parse('2026-11-24T23:59:30.500Z'))).toBe(30);
    expect(one.secondsLeft(Date.parse('2026-11-24T00:00:00.000Z'))).toBe(86_400);
    expect(one.secondsLeft(Date.parse('2026-11-24T23:59:59.999Z'))).toBe(1);
  });
});
