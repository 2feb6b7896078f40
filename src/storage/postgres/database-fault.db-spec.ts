import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource, type QueryRunner } from 'typeorm';
import { databaseUrl } from '../../../test/support/database/database-url.js';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { StoreUnavailableError } from '../../kernel/event-store.js';
import { databaseFault, isDatabaseError } from './database-fault.js';
import { type Database, forTypeOrm, openDatabase } from './open-database.js';

describe('Losing the database connection during a series of queries', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  let database: Database;
  let typeOrm: DataSource;
  let reading: QueryRunner;

  beforeEach(async () => {
    fresh = await freshDatabase();
    const options = { url: databaseUrl(fresh.config), dataFolder: '', announce: '', log: () => undefined };
    database = await openDatabase(options);
    typeOrm = await new DataSource(forTypeOrm(database, { max: 2 })).initialize();
    reading = typeOrm.createQueryRunner();
  });
  afterEach(async () => {
    await reading.release();
    await typeOrm.destroy();
    await database.close();
    await fresh.drop();
  });

  const losses: Record<string, () => Promise<unknown>> = {
    'between two queries': async () => {
      const client = await reading.connect();
      const lost = new Promise<void>((resolve) => client.once('error', () => resolve()));
      const [{ pid }] = await reading.query('select pg_backend_pid() as pid');
      await database.pool.query('select pg_terminate_backend($1)', [pid]);
      await lost;
      return reading.query('select 1');
    },
    'during a query': () => reading.query('select pg_terminate_backend(pg_backend_pid())'),
  };

  it.each(Object.entries(losses))('a connection lost %s is a temporary database fault', async (_, lose) => {
    const error = await lose().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    expect({ error, isDatabaseError: isDatabaseError(error), fault: databaseFault(error) }).toMatchObject({
      isDatabaseError: true,
      fault: expect.any(StoreUnavailableError),
    });
  });
});
