import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../test/support/database/test-database.js';
import { createRootKeyTable } from './keys/root-key.js';
import { cleanTable, startTable } from './table.js';
import { tables } from './tables.js';

describe('The tables beside the log', () => {
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

  /** As a process does when it starts. */
  async function start(isAlone: boolean) {
    await createRootKeyTable(pool);
    for (const table of tables) await startTable(table, { pool, isAlone, signal: stopping.signal });
  }

  it('are created once by processes that start together, and again by one that starts later', async () => {
    await Promise.all([start(false), start(false), start(false)]);
    await start(true);
  });

  it('can all be cleaned', async () => {
    for (const table of tables) await cleanTable(pool, table);
  });

  it('have names and locks of their own', () => {
    expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
    expect(new Set(tables.map(({ lock }) => lock)).size).toBe(tables.length);
  });

  it('say which of them forget a person', () => {
    expect(tables.filter(({ keepsPersonalData }) => keepsPersonalData).map(({ name }) => name)).toEqual([
      'waitlist',
      'publishers',
      'access tokens',
      'mailed links',
      'invites',
      'idempotency keys',
      'pending uploads',
      'generations',
      'connector tokens',
      'agent grants',
    ]);
  });
});
