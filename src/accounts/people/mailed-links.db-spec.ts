import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { createTable } from '../../storage/tables/table.js';
import { type MailedLink, MailedLinkStore, mailedLinksTable } from './mailed-links.js';
import type { Used } from './work-once.js';

describe('The code for a mailed link', () => {
  let pool: Pool;
  let links: MailedLinkStore;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool({ ...database.config, max: 20 });
    drop = database.drop;
    links = new MailedLinkStore(pool, Buffer.alloc(32));
    await createTable(pool, mailedLinksTable);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(() => pool.query('delete from mailed_links'));

  const mailed = () =>
    links.make({ purpose: 'sign-in', email: 'Ann@example.org', about: {}, browserHash: null, seconds: 60 });
  const itself = async (link: MailedLink) => link;
  const became = (used: Used<MailedLink> | null) => (used?.kind === 'done' ? used.result : (used?.kind ?? null));
  const open = async (secret: string) => became(await links.use('sign-in', secret, itself));
  const type = async (code: string) => became(await links.useCode('sign-in', 'ann@example.org', code, itself));

  it('a code works once, and its case, spaces and hyphens are ignored', async () => {
    const { code } = await mailed();
    const typed = `${code.slice(0, 4)} - ${code.slice(4)}`.toLowerCase();
    const all = await Promise.all([type(typed), type(code), type(code)]);
    const done = all.filter((each) => each !== null && each !== 'held');
    expect(done).toEqual([{ id: expect.any(String), email: 'ann@example.org', about: {} }]);
  });

  it('a code stops working after five wrong attempts, but the mailed link still works', async () => {
    const { code, secret } = await mailed();
    for (const wrong of ['A', 'B', 'C', 'D']) expect(await type(wrong)).toBeNull();
    const second = await mailed();
    expect(await type(code)).toMatchObject({ email: 'ann@example.org' });
    for (const wrong of ['A', 'B', 'C', 'D', 'E']) expect(await type(wrong)).toBeNull();
    expect(await type(second.code)).toBeNull();
    expect(await open(secret)).toBeNull();
    expect(await open(second.secret)).toMatchObject({ email: 'ann@example.org' });
  });

  it('a code can’t be used twice at the same time, but can be used again if the first use failed', async () => {
    const { secret, code } = await mailed();
    const full = new Error('There is no room left.');
    const failing = links.use('sign-in', secret, async () => {
      expect(await open(secret)).toBe('held');
      expect(await type(code)).toBe('held');
      throw full;
    });
    await expect(failing).rejects.toBe(full);
    expect(await open(secret)).toMatchObject({ email: 'ann@example.org' });
    expect(await open(secret)).toBeNull();
  });

  it('if a process is killed while it uses a code, the code can be used again after a minute', async () => {
    const { secret } = await mailed();
    await pool.query("update mailed_links set taken_at = now() - interval '40 seconds'");
    expect(await open(secret)).toBe('held');
    await pool.query("update mailed_links set taken_at = now() - interval '61 seconds'");
    expect(await open(secret)).toMatchObject({ email: 'ann@example.org' });
  });

  it('a link has the same ID each time it is used, and a correct code does not count as a failed attempt', async () => {
    const { code, secret } = await mailed();
    const full = new Error('There is no room left.');
    const ids: string[] = [];
    const failing = async ({ id }: MailedLink) => {
      ids.push(id);
      throw full;
    };
    for (let n = 0; n < 6; n++)
      await expect(links.useCode('sign-in', 'ann@example.org', code, failing)).rejects.toBe(full);
    await expect(links.use('sign-in', secret, failing)).rejects.toBe(full);
    expect(new Set(ids).size).toBe(1);
    expect(await type(code)).toMatchObject({ email: 'ann@example.org' });
  });

  it('once another caller has taken over an expired lease, the first caller can no longer change the link', async () => {
    const { secret } = await mailed();
    const begin = async () => {
      const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
      const work = Promise.withResolvers<MailedLink>();
      const used = links.use('sign-in', secret, () => {
        hasBegun();
        return work.promise;
      });
      await begun;
      return { ...work, used };
    };
    const late = await begin();
    await pool.query("update mailed_links set taken_at = now() - interval '61 seconds'");
    const other = await begin();
    late.reject(new Error('too late'));
    await expect(late.used).rejects.toThrow('too late');
    expect(await open(secret)).toBe('held');
    other.resolve({ id: '', email: 'ann@example.org', about: {} });
    expect(became(await other.used)).toMatchObject({ email: 'ann@example.org' });
    expect(await open(secret)).toBeNull();
  });

  it('a code is compared at most five times, even in hundreds of simultaneous attempts', async () => {
    const { code } = await mailed();
    await Promise.all(Array.from({ length: 300 }, (_, n) => type(`WRONG${n}`)));
    const { rows } = await pool.query('select wrong_codes from mailed_links');
    expect(rows).toEqual([{ wrong_codes: 5 }]);
    expect(await type(code)).toBeNull();
  });
});
