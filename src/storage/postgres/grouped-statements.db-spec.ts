import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { GroupedStatements } from './grouped-statements.js';

const PUT = { name: 'put', text: 'insert into things (id, text) values ($1, $2) returning id, at' };
const COUNT = { name: 'count', text: 'select count(*)::int as many from things where id <> $1' };

describe('SQL statements that are sent in groups', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let statements: GroupedStatements;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    await pool.query(
      'create table things (id integer primary key, text text, at timestamptz default clock_timestamp())',
    );
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });
  beforeEach(async () => {
    await pool.query('truncate things');
    statements = new GroupedStatements(database.config);
  });
  afterEach(() => statements.close());

  const put = (id: number, text: string | null = 'text') => statements.run({ ...PUT, values: [id, text] });
  const transactions = async () => (await pool.query('select distinct xmin from things')).rowCount;

  it.each(['at first', 'once they are prepared'])(
    'each caller gets the rows of its own statement, %s',
    async (when) => {
      if (when !== 'at first') await Promise.all([put(0), statements.run({ ...COUNT, values: [0] })]);
      const [one, many, two] = await Promise.all([put(1), statements.run({ ...COUNT, values: [0] }), put(2, null)]);
      expect(one).toEqual([{ id: 1, at: expect.any(Date) }]);
      expect(many).toEqual([{ many: 1 }]);
      expect(two).toEqual([{ id: 2, at: expect.any(Date) }]);
      expect((await pool.query('select text from things where id = 2')).rows).toEqual([{ text: null }]);
    },
  );

  it('the statements of a group share one transaction', async () => {
    await put(0);
    await pool.query('truncate things');
    await Promise.all([put(1), put(2), put(3)]);
    expect(await transactions()).toBe(1);
  });

  it.each(['at first', 'once they are prepared'])(
    'statements succeed even if another statement of their group fails, %s',
    async (when) => {
      if (when !== 'at first') await put(0);
      const ends = await Promise.allSettled([put(1), put(1), put(2), put(3)]);
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect((ends[1] as PromiseRejectedResult).reason).toMatchObject({ code: '23505' });
      expect((await pool.query('select from things where id between 1 and 3')).rowCount).toBe(3);
      expect(await put(4)).toHaveLength(1);
    },
  );

  it('later statements run on a new connection after the old one was lost', async () => {
    await put(1);
    await pool.query(
      "select pg_terminate_backend(pid, 20000) from pg_stat_activity where query like '%things%' and pid <> pg_backend_pid()",
    );
    await Promise.allSettled([put(2)]);
    expect(await put(3)).toHaveLength(1);
    expect(await Promise.all([put(4), put(5)])).toHaveLength(2);
  });
});
