import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { entryOf, writeEntries } from '../../../../test/support/traffic/entries.js';
import { createTable } from '../../../storage/tables/table.js';
import { siteLogTable } from '../api/site-log.js';
import { RollingUp } from './rolling-up.js';
import { TrafficRollUps, trafficRollUpsTable } from './tables/traffic-roll-ups.js';

const time = (text: string) => Date.parse(`2026-11-${text}Z`);

describe('Old traffic of sites', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let rollUps: TrafficRollUps;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    for (const table of [siteLogTable, trafficRollUpsTable]) await createTable(pool, table);
  });
  beforeEach(async () => {
    await pool.query('truncate access_entries, traffic_hours, traffic_days, traffic_progress');
    await pool.query('insert into traffic_progress default values');
    rollUps = new TrafficRollUps(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const process = (accessKeptDays: number, rollupsKeptDays = 730) =>
    new RollingUp(rollUps, { accessKeptDays, accessBytesPerDay: 2 ** 26, rollupsKeptDays, geoip: null });
  const timesIn = async (table: string) =>
    (await pool.query<{ at: Date }>(`select distinct at from ${table} order by at`)).rows.map(({ at }) => at.getTime());

  it('with a retention of 0 days, entries are deleted after the roll-up, two hours after the end of their day, but the figures remain', async () => {
    const [past, present] = [time('10T10:00'), time('11T01:00')];
    await writeEntries(pool, [entryOf({ at: past }), entryOf({ at: present })]);
    const none = process(0);
    await none.forgetOld(time('11T02:30'));
    expect(await timesIn('access_entries')).toEqual([past, present]);
    await rollUps.takeIn(new Date(time('11T01:30')));
    await none.forgetOld(time('11T01:59'));
    expect(await timesIn('access_entries')).toEqual([past, present]);
    await none.forgetOld(time('11T02:00'));
    expect(await timesIn('access_entries')).toEqual([present]);
    await writeEntries(pool, [entryOf({ at: past + 1, visitor: 2n })]);
    await rollUps.takeIn(new Date(time('11T02:30')));
    expect(await rollUps.figures.byDay('site_1', { from: time('10T00:00'), to: time('11T00:00') })).toEqual([
      { at: time('10T00:00'), visits: 1, visitors: 1, pageviews: 1, bytes: 100 },
    ]);
  });

  it('after the retention time, a day’s figures no longer change, even while its entries still exist', async () => {
    await writeEntries(pool, [entryOf({ at: time('10T10:00') }), entryOf({ at: time('12T10:00') })]);
    await rollUps.takeIn(new Date(time('20T00:00')));
    await process(7).forgetOld(time('18T10:00'));
    expect(await timesIn('access_entries')).toHaveLength(2);
    await writeEntries(pool, [
      entryOf({ at: time('10T11:00'), visitor: 2n }),
      entryOf({ at: time('12T11:00'), visitor: 2n }),
    ]);
    await rollUps.takeIn(new Date(time('20T00:00')));
    const days = await rollUps.figures.byDay('site_1', { from: time('10T00:00'), to: time('13T00:00') });
    expect(days.map(({ visits }) => visits)).toEqual([1, 2]);
  });

  it('figures per day are kept for the configured time, and figures per hour for 62 days', async () => {
    await writeEntries(
      pool,
      ['2026-07-01', '2026-09-18', '2026-09-19'].map((day) => entryOf({ at: Date.parse(`${day}T10:00Z`) })),
    );
    await rollUps.takeIn(new Date(time('20T00:00')));
    await process(7, 100).forgetOld(time('20T10:00'));
    expect(await timesIn('traffic_days')).toEqual([Date.parse('2026-09-18'), Date.parse('2026-09-19')]);
    expect(await timesIn('traffic_hours')).toEqual([Date.parse('2026-09-19T10:00Z')]);
    await process(7, 30).forgetOld(time('20T10:00'));
    expect(await timesIn('traffic_hours')).toEqual([]);
  });
});
