import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { cleanTable, createTable } from '../../../storage/tables/table.js';
import { type NewTerminalSignIn, TerminalSignInStore, terminalSignInsTable } from './terminal-sign-ins.js';

const asked = (name: string, seconds = 600): NewTerminalSignIn => ({
  pageHash: `page of ${name}`,
  secretHash: `secret of ${name}`,
  challenge: 'challenge',
  requester: { address: '203.0.113.9', client: null },
  seconds,
});

describe('A terminal’s sign-in request', () => {
  let pool: Pool;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(() => pool.query('drop table if exists terminal_sign_ins'));

  const started = async () => {
    await createTable(pool, terminalSignInsTable);
    return new TerminalSignInStore(pool);
  };

  const exchange = (table: TerminalSignInStore) =>
    table.exchange('secret of a', 'challenge', 0, async (userId) => userId);

  it('all processes use one table of sign-in requests, even if they start at the same time', async () => {
    const [one, ...others] = await Promise.all([started(), started(), started(), started()]);
    await one.open(asked('a'), 'CODE');
    for (const other of others) expect(await other.find('page of a')).toMatchObject({ state: 'asked' });
  });

  it('a sign-in request is used only once, by one of several concurrent processes', async () => {
    const tables = await Promise.all(Array.from({ length: 8 }, started));
    await tables[0]?.answered(asked('a'), 'http://localhost/', { userId: 'usr_a', approved: true });
    const all = await Promise.all(tables.map((table) => exchange(table)));
    expect(all.filter((each) => each !== null && each.kind !== 'held')).toEqual([{ kind: 'done', result: 'usr_a' }]);
    expect(await tables[0]?.find('page of a')).toMatchObject({ state: 'used', userId: 'usr_a', destination: null });
  });

  it('a sign-in request can be exchanged again if its session could not be created', async () => {
    const table = await started();
    await table.answered(asked('a'), 'http://localhost/', { userId: 'usr_a', approved: true });
    const full = new Error('There is no room left.');
    const failing = table.exchange('secret of a', 'challenge', 0, async () => {
      expect(await exchange(table)).toEqual({ kind: 'held', seconds: 5 });
      throw full;
    });
    await expect(failing).rejects.toBe(full);
    expect(await exchange(table)).toEqual({ kind: 'done', result: 'usr_a' });
    expect(await exchange(table)).toBeNull();
  });

  it('a sign-in request can be approved or denied only once', async () => {
    const table = await started();
    await table.open(asked('a'), 'CODE');
    const answers = ['usr_a', 'usr_b', 'usr_c'].map((userId) => table.answer('page of a', { userId, approved: true }));
    expect((await Promise.all(answers)).filter(Boolean)).toHaveLength(1);
    expect(await table.answer('page of a', { userId: 'usr_d', approved: false })).toBe(false);
    expect(await table.answer('page of nobody', { userId: 'usr_d', approved: false })).toBe(false);
  });

  it('a sign-in request expires, and is then deleted together with the terminal’s IP address', async () => {
    const table = await started();
    await table.open(asked('a', -1), 'CODE');
    await table.open(asked('b'), 'CODE');
    expect(await table.find('page of a')).toBeNull();
    expect(await exchange(table)).toBeNull();
    expect(await table.answer('page of a', { userId: 'usr_a', approved: true })).toBe(false);
    await cleanTable(pool, terminalSignInsTable);
    const { rows } = await pool.query('select page_hash from terminal_sign_ins');
    expect(rows).toEqual([{ page_hash: 'page of b' }]);
  });
});
