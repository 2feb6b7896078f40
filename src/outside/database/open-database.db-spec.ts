import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freshDatabase } from '../../../test/support/database.js';
import { databaseUrl } from '../../../test/support/database-url.js';
import { type Database, openDatabase } from './open-database.js';

describe('The database of an operator', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  let database: Database;

  beforeEach(async () => {
    fresh = await freshDatabase();
    database = await openDatabase({
      url: databaseUrl(fresh.config),
      dataFolder: '',
      announce: '',
      log: () => undefined,
    });
  });
  afterEach(async () => {
    await database.close();
    await fresh.drop();
  });

  it('may close a connection that somebody is using: the next statement says so, and the process lives', async () => {
    const client = await database.pool.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await expect(client.query('select 1')).rejects.toThrow();
    client.release();

    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
