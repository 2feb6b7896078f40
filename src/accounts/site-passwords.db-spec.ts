import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../test/support/database/test-database.js';
import { UsedTickets, usedTicketsTable } from '../modules/serving/access/used-tickets.js';
import { createTable } from '../storage/tables/table.js';
import { SitePasswords, sitePasswordsTable } from './site-passwords.js';

describe('Visitor passwords and tickets', () => {
  const masterKey = randomBytes(32);
  let pool: Pool;
  let drop: () => Promise<void>;
  let passwords: SitePasswords;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    await Promise.all([1, 2, 3].map(() => createTable(pool, sitePasswordsTable)));
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(async () => {
    await pool.query('delete from site_passwords');
    passwords = new SitePasswords(pool, masterKey);
  });

  const ids = async () =>
    (await pool.query<{ password_id: string }>('select password_id from site_passwords order by 1')).rows.map(
      ({ password_id }) => password_id,
    );

  it('a password is accepted only together with its own ID', async () => {
    await passwords.keep('pwd_1', 'site_1', 'open sesame');
    await passwords.keep('pwd_2', 'site_1', 'open sesame');
    expect(await passwords.isRight('pwd_1', 'open sesame')).toBe(true);
    expect(await passwords.isRight('pwd_1', 'open sesame ')).toBe(false);
    expect(await passwords.isRight('pwd_1', '')).toBe(false);
    expect(await passwords.isRight('pwd_3', 'open sesame')).toBe(false);
    const { rows } = await pool.query('select hash from site_passwords');
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
  });

  it('passwords can’t be checked with a copy of the database but without the master key', async () => {
    await passwords.keep('pwd_1', 'site_1', 'x');
    expect(await new SitePasswords(pool, randomBytes(32)).isRight('pwd_1', 'x')).toBe(false);
    expect(await new SitePasswords(pool, masterKey).isRight('pwd_1', 'x')).toBe(true);
  });

  it('deleting a site’s other passwords keeps those created in the last few minutes, which may still be in use', async () => {
    for (const n of [1, 2, 3, 4]) await passwords.keep(`pwd_${n}`, n === 4 ? 'site_2' : 'site_1', 'x');
    await passwords.forget('pwd_1');
    expect(await passwords.isRight('pwd_1', 'x')).toBe(false);
    // New passwords are kept, because a concurrent command may be about to record one of them in an event.
    await passwords.forgetOthers('site_1', 'pwd_2');
    expect(await ids()).toEqual(['pwd_2', 'pwd_3', 'pwd_4']);
    await pool.query("update site_passwords set made_at = now() - interval '11 minutes'");
    await passwords.forgetOthers('site_1', 'pwd_2');
    expect(await ids()).toEqual(['pwd_2', 'pwd_4']);
    await passwords.forgetOthers('site_1', null);
    expect(await ids()).toEqual(['pwd_4']);
  });

  it('only a few passwords are checked at the same time, and further attempts are refused', async () => {
    await passwords.keep('pwd_1', 'site_1', 'x');
    // Use a stub that responds immediately. With a slow database, the attempts would be spread over time, and none
    // would be refused.
    const stored = await pool.query('select hash from site_passwords');
    const checked = new SitePasswords({ query: async () => stored } as Partial<Pool> as Pool, masterKey);
    const tries = await Promise.allSettled(Array.from({ length: 80 }, () => checked.isRight('pwd_1', 'y')));
    const refused = tries.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(14);
    expect(refused[0]).toMatchObject({ reason: { name: 'Refusal', code: 'unavailable' } });
  }, 60_000);

  it('a ticket is accepted only once', async () => {
    const used = new UsedTickets(pool);
    await createTable(pool, usedTicketsTable);
    const expiresAt = Date.now() + 60_000;
    const uses = await Promise.all(Array.from({ length: 20 }, () => used.use('one', expiresAt)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await new UsedTickets(pool).use('one', expiresAt)).toBe(false);
    expect(await used.use('two', expiresAt)).toBe(true);
  });
});
