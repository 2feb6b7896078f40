import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { entryOf, writeEntries } from '../../../../test/support/traffic/entries.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { SiteCreated, SiteExpired, siteStream } from '../../../events/site/site.events.js';
import { createTable } from '../../../storage/tables/table.js';
import type { SiteView } from '../../sites/api/site-access.js';
import { siteLogTable } from '../api/site-log.js';
import { accessEntriesTable } from '../record/tables/access-entries.js';
import { TrafficRollUps, trafficRollUpsTable } from '../roll-up/tables/traffic-roll-ups.js';
import { ErasedTraffic } from './erased-traffic.js';

const later = new Date('2026-11-20T00:00:00Z');

describe('The traffic of a deleted site', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let rollUps: TrafficRollUps;
  let store: MemoryStore;
  /**
   * `known` lists the sites that the read model shows as live. `there` lists sites that exist only in the event log.
   */
  let known: string[];
  let there: string[];
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    for (const table of [siteLogTable, accessEntriesTable, trafficRollUpsTable]) await createTable(pool, table);
  });
  beforeEach(async () => {
    await pool.query('truncate access_entries, traffic_hours, traffic_days, traffic_progress, traffic_followed');
    await pool.query('insert into traffic_progress default values');
    rollUps = new TrafficRollUps(pool);
    store = new MemoryStore();
    for (const siteId of ['site_1', 'site_2', 'site_3'])
      await store.write(siteStream(siteId), SiteCreated({ slug: siteId.replace('_', '-'), editTokenHash: null }));
    await visit('site_1', 'site_2', 'site_3');
    await rollUps.takeIn(later);
    known = ['site_1', 'site_2', 'site_3'];
    there = [];
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const visit = (...siteIds: string[]) =>
    writeEntries(
      pool,
      siteIds.map((siteId) => entryOf({ siteId })),
    );
  const process = () =>
    new ErasedTraffic(
      rollUps,
      store,
      { name: 'postgresql' },
      { find: async (siteId) => (there.includes(siteId) ? ({} as SiteView) : null) },
      { existsBy: async (where) => !Array.isArray(where) && known.some((siteId) => siteId === where.siteId) },
    );
  async function left(): Promise<string[]> {
    const found: string[] = [];
    const { traces } = rollUps;
    for (let site = await traces.nextSite(''); site !== null; site = await traces.nextSite(site)) found.push(site);
    return found;
  }
  /** Runs the eraser until only these sites have traffic left. */
  async function runUntil(...siteIds: string[]) {
    const ending = new AbortController();
    const running = process();
    running.start(ending.signal);
    while ((await left()).join() !== siteIds.join()) await delay(10);
    ending.abort();
    await running.stopped();
  }

  it('a site’s traffic is erased once the site is deleted, and a new process continues at the last position', async () => {
    const ending = new AbortController();
    const first = process();
    first.start(ending.signal);
    await store.write(siteStream('site_2'), SiteDeleted({}));
    while ((await left()).length === 3) await delay(10);
    expect(await left()).toEqual(['site_1', 'site_3']);
    while ((await rollUps.traces.position('postgresql')) === null) await delay(10);
    ending.abort();
    await first.stopped();

    await store.write(siteStream('site_1'), SiteExpired({}));
    await runUntil('site_3');
  });

  it('a sweep erases traffic of deleted sites, but not of a site that is only missing from the read model', async () => {
    known = ['site_1'];
    there = ['site_3'];
    await process().sweep(new AbortController().signal);
    expect(await left()).toEqual(['site_1', 'site_3']);
  });

  it('a deleted site’s traffic is erased again if requests were written later', async () => {
    known = ['site_1', 'site_3'];
    await runUntil('site_1', 'site_3');
    await visit('site_2');
    await rollUps.takeIn(later);
    await process().sweep(new AbortController().signal);
    expect(await left()).toEqual(['site_1', 'site_3']);
  });

  it('a deleted site’s traffic is erased even if the event log ends before the stored position', async () => {
    await rollUps.traces.reached('postgresql', 1_000_000n);
    known = ['site_1', 'site_3'];
    await runUntil('site_1', 'site_3');
  });
});
