import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import type { Refusal } from '../../kernel/refusal.js';
import { createTable } from '../../storage/tables/table.js';
import { IdempotencyKeys, idempotencyTable, type Reserved } from './idempotency-keys.js';

describe('The lease of an idempotency key', () => {
  let pool: Pool;
  let drop: () => Promise<void>;
  let keys: IdempotencyKeys;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    keys = new IdempotencyKeys(pool);
    await createTable(pool, idempotencyTable);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });

  const reserve = (id: string): Promise<Reserved<string>> =>
    keys.reserve({ caller: 'ann', userId: null, key: 'key-of-ann', route: 'POST /v1/deploy' }, () => id);

  it('the lease is released after a failed request, without delaying the response if the database hangs', async () => {
    const first = await reserve('first');
    if (first.kind !== 'go') throw new Error('The key was used.');
    const elsewhere = await pool.connect();
    await elsewhere.query('begin; lock table idempotency');
    const began = performance.now();
    await first.reservation.letGo();
    expect(performance.now() - began).toBeLessThan(20_000);
    await elsewhere.query('rollback');
    elsewhere.release();

    let next: Reserved<string> | null = null;
    while (next === null) {
      next = await reserve('next').catch((error: Refusal) => {
        if (error.code !== 'idempotency_in_progress') throw error;
        return null;
      });
    }
    expect(next).toMatchObject({ kind: 'go', reservation: { ids: 'first' } });
  }, 60_000);
});
