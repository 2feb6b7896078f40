import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { createTable } from '../../../../storage/tables/table.js';
import { InviteStore, invitesTable } from './invites.js';

describe('Addresses of invites', () => {
  let pool: Pool;
  let invites: InviteStore;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    invites = new InviteStore(pool);
    await Promise.all([createTable(pool, invitesTable), createTable(pool, invitesTable)]);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  beforeEach(() => pool.query('delete from invites'));

  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const sent = (inviteId: string, siteId: string, email: string, expiresAt = inAnHour) =>
    invites.keep({ inviteId, siteId, email, expiresAt });

  it('an invite is found by site and address, ignoring case', async () => {
    await sent('inv_1', 'site_1', 'Ann@Example.org');
    await sent('inv_2', 'site_2', 'ann@example.org');
    await sent('inv_3', 'site_1', 'bob@example.org');
    expect(await invites.to('site_1', 'ANN@example.org')).toEqual(['inv_1']);
    expect(await invites.emailsOf(['inv_1', 'inv_3', 'inv_none'])).toEqual(
      new Map([
        ['inv_1', 'ann@example.org'],
        ['inv_3', 'bob@example.org'],
      ]),
    );
  });

  it('an invite is not found once it has expired', async () => {
    await sent('inv_1', 'site_1', 'ann@example.org', anHourAgo);
    expect(await invites.to('site_1', 'ann@example.org')).toEqual([]);
  });

  it('an invite’s address is deleted by invite ID', async () => {
    await sent('inv_1', 'site_1', 'ann@example.org');
    await sent('inv_2', 'site_1', 'ann@example.org');
    await invites.drop(['inv_1', 'inv_none']);
    expect(await invites.to('site_1', 'ann@example.org')).toEqual(['inv_2']);
  });

  it('all invites to one address are deleted, and invites to other addresses are kept', async () => {
    await sent('inv_1', 'site_1', 'ann@example.org');
    await sent('inv_2', 'site_2', 'ann@example.org');
    await sent('inv_3', 'site_1', 'bob@example.org');
    await invites.forget({ email: 'Ann@example.org' });
    expect((await pool.query('select invite_id from invites')).rows).toEqual([{ invite_id: 'inv_3' }]);
  });
});
