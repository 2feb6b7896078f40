import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { Pool } from 'pg';
import { freshDatabase } from '../../test/support/database/test-database.js';
import { createRootKeyTable } from '../accounts/keys/root-key.js';
import { modules } from '../app.module.js';
import { TableFactory } from '../nest/tables.js';
import { cleanTable, startTable } from '../storage/tables/table.js';

/** All tables, in the order in which a process creates them. */
const tables = modules.flatMap((module) => {
  const providers: readonly unknown[] = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, module) ?? [];
  return providers.flatMap((provider) => (provider instanceof TableFactory ? provider.tables : []));
});

describe('The tables outside the event log', () => {
  it('tables are discovered from the modules', () => expect(tables.length).toBeGreaterThan(35));

  const stopping = new AbortController();
  let pool: Pool;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
  });
  afterAll(async () => {
    stopping.abort();
    await pool.end();
    await drop();
  });

  async function start(isAlone: boolean) {
    await createRootKeyTable(pool);
    for (const table of tables) await startTable(table, { pool, isAlone, signal: stopping.signal });
  }

  it('processes that start together create the tables only once, and a later process accepts them', async () => {
    await Promise.all([start(false), start(false), start(false)]);
    await start(true);
  });

  it('old rows can be deleted from every table', async () => {
    for (const table of tables) await cleanTable(pool, table);
  });

  it('tables have unique names and locks', () => {
    expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
    expect(new Set(tables.map(({ lock }) => lock)).size).toBe(tables.length);
  });

  it('tables declare whether they contain personal data', () => {
    expect(
      tables
        .filter(({ keepsPersonalData }) => keepsPersonalData)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'access tokens',
      'agent grants',
      'connector tokens',
      'generations',
      'idempotency keys',
      'invites',
      'mailed links',
      'pending uploads',
      'publishers',
      'waitlist',
    ]);
  });
});
