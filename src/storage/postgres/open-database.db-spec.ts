import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseUrl } from '../../../test/support/database/database-url.js';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { type Database, forTypeOrm, openDatabase } from './open-database.js';

function poolOf({ driver }: DataSource): pg.Pool {
  if (!(driver instanceof PostgresDriver)) throw new Error('The data source does not use PostgreSQL.');
  return driver.master;
}

describe('The operator’s database', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  let database: Database;
  let typeOrm: DataSource | null;

  beforeEach(async () => {
    typeOrm = null;
    fresh = await freshDatabase();
    database = await openDatabase({
      url: databaseUrl(fresh.config),
      dataFolder: '',
      announce: '',
      log: () => undefined,
    });
  });
  afterEach(async () => {
    await typeOrm?.destroy();
    await database.close();
    await fresh.drop();
  });

  const pools: Record<string, () => Promise<pg.Pool>> = {
    'our pool': async () => database.pool,
    'the pool of TypeORM': async () => {
      typeOrm = await new DataSource(forTypeOrm(database, { max: 2 })).initialize();
      return poolOf(typeOrm);
    },
  };

  it.each(Object.entries(pools))(
    'if a connection of %s is terminated while in use, only its next statement fails',
    async (_, openPool) => {
      const pool = await openPool();
      const client = await pool.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
      await expect(client.query('select 1')).rejects.toThrow();
      client.release();

      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    },
  );
});
