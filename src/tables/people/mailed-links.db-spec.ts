import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { createTable } from '../table.js';
import { type MailedLink, MailedLinks, mailedLinksTable } from './mailed-links.js';
import type { Used } from './work-once.js';

describe('The code of a mailed link', () => {
  let pool: Pool;
  let links: MailedLinks;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool({ ...database.config, max: 20 });
    drop = database.drop;
    links = new MailedLinks(pool, Buffer.alloc(32));
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

  it('works once, however it is written', async () => {
    const { code } = await mailed();
    const typed = `${code.slice(0, 4)} - ${code.slice(4)}`.toLowerCase();
    const all = await Promise.all([type(typed), type(code), type(code)]);
    expect(all.filter((link) => link !== null)).toEqual([{ email: 'ann@example.org', about: {} }]);
  });

  it('works after four wrong ones, not after five; the link itself goes on working', async () => {
    const { code, secret } = await mailed();
    for (const wrong of ['A', 'B', 'C', 'D']) expect(await type(wrong)).toBeNull();
    const second = await mailed();
    expect(await type(code)).toMatchObject({ email: 'ann@example.org' });
    for (const wrong of ['A', 'B', 'C', 'D', 'E']) expect(await type(wrong)).toBeNull();
    expect(await type(second.code)).toBeNull();
    expect(await open(secret)).toBeNull();
    expect(await open(second.secret)).toMatchObject({ email: 'ann@example.org' });
  });

  it('can be opened again where what it is for failed, and by nobody else meanwhile', async () => {
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

  it('can be opened again a minute after whoever took it was killed', async () => {
    const { secret } = await mailed();
    await pool.query("update mailed_links set taken_at = now() - interval '59 seconds'");
    expect(await open(secret)).toBe('held');
    await pool.query("update mailed_links set taken_at = now() - interval '61 seconds'");
    expect(await open(secret)).toMatchObject({ email: 'ann@example.org' });
  });

  it('is compared five times and no more, though hundreds try at once', async () => {
    const { code } = await mailed();
    await Promise.all(Array.from({ length: 300 }, (_, n) => type(`WRONG${n}`)));
    const { rows } = await pool.query('select wrong_codes from mailed_links');
    expect(rows).toEqual([{ wrong_codes: 5 }]);
    expect(await type(code)).toBeNull();
  });
});
