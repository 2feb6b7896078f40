import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { cleanTable, createTable } from '../../storage/tables/table.js';
import { ShareUse, shareUseTable } from './share-use.js';
import { SiteNetworks, siteNetworksTable } from './site-networks.js';
import { UnclaimedContent, unclaimedContentTable } from './unclaimed-content.js';

describe('The tables that record how much each owner or network has used', () => {
  const rootKey = randomBytes(32);
  let pool: Pool;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshDatabase();
    pool = new Pool(database.config);
    drop = database.drop;
    for (const table of [shareUseTable, siteNetworksTable, unclaimedContentTable]) await createTable(pool, table);
  });
  afterAll(async () => {
    await pool.end();
    await drop();
  });

  it('a daily limit is enforced across simultaneous calls and across processes', async () => {
    const [use, other] = [new ShareUse(pool, rootKey), new ShareUse(pool, rootKey)];
    const takes = Array.from({ length: 20 }, (_, n) => (n % 2 ? use : other).take('deploy bytes', 'ann', 30, 100));
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(3);
    expect(await use.take('deploy bytes', 'ann', 10, 100)).toBe(true);
    expect(await use.take('deploy bytes', 'ann', 1, 100)).toBe(false);
    expect(await use.take('deploy bytes', 'bob', 101, 100)).toBe(false);
    expect(await use.take('access bytes', 'ann', 100, 100)).toBe(true);
  });

  it('usage on other days does not count towards the daily limit', async () => {
    await pool.query("update share_use set day = day - 2 where counter = 'deploy bytes'");
    expect(await new ShareUse(pool, rootKey).take('deploy bytes', 'ann', 100, 100)).toBe(true);
    await cleanTable(pool, shareUseTable);
    const { rows } = await pool.query('select distinct day from share_use');
    expect(rows).toHaveLength(1);
  });

  it('the IP address that created a site is stored encrypted for fourteen days', async () => {
    const networks = new SiteNetworks(pool, rootKey);
    await networks.keep('site_1', '192.0.2.1');
    await networks.keep('site_1', '192.0.2.2');
    expect(await networks.find('site_1')).toBe('192.0.2.1');
    expect(await networks.find('site_2')).toBe(null);
    const { rows } = await pool.query<{ sealed: Buffer }>('select sealed from site_networks');
    expect(rows[0]?.sealed.includes('192.0.2.1')).toBe(false);
    await pool.query("update site_networks set made_at = made_at - interval '14 days'");
    expect(await networks.find('site_1')).toBe(null);
    await cleanTable(pool, siteNetworksTable);
    expect((await pool.query('select from site_networks')).rowCount).toBe(0);
  });

  it('space for unclaimed content is reserved, and the totals are later corrected from the actual deploys', async () => {
    const content = new UnclaimedContent(pool);
    const [ann, bob] = [Buffer.from('ann'), Buffer.from('bob')];
    const reserve = (deployId: string, siteId: string, share: Buffer, bytes: number) =>
      content.reserve({ deployId, siteId, share, bytes }, ({ total }) => total + bytes <= 100);
    expect(await reserve('dep_1', 'site_1', ann, 40)).toEqual({ total: 0, own: 0, isReserved: true });
    expect(await reserve('dep_2', 'site_2', bob, 50)).toEqual({ total: 40, own: 0, isReserved: true });
    expect(await reserve('dep_3', 'site_1', ann, 11)).toEqual({ total: 90, own: 40, isReserved: false });
    // Reserve the same deploy again. It adds no bytes, because the site already has the content.
    expect(await reserve('dep_1', 'site_1', ann, 0)).toMatchObject({ total: 50, isReserved: true });
    expect(await content.use(ann)).toEqual({ total: 90, own: 40 });

    await pool.query(`
      create table sites_x (site_id text, status text, edit_token_hash text);
      create table deploys_x (deploy_id text, site_id text, bytes bigint);
      insert into sites_x values ('site_1', 'live', null), ('site_2', 'live', 'x'), ('site_3', 'live', 'x'), ('site_4', 'expired', 'x');
      insert into deploys_x values ('dep_1', 'site_1', 40), ('dep_3', 'site_3', 7), ('dep_4', 'site_4', 9);`);
    const tables = { sites: 'sites_x', deploys: 'deploys_x' };
    await content.reconcile(tables);
    // site_1 was claimed, so its content does not count. site_3 counts. dep_2 also counts, because it may still be
    // published.
    expect(await content.use(bob)).toEqual({ total: 57, own: 50 });
    await pool.query("update unclaimed_content set at = at - interval '2 hours'");
    await content.reconcile(tables);
    expect(await content.use(bob)).toEqual({ total: 7, own: 0 });
  });
});
