import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { countedByHand, type Figures, keyOf } from '../../../../../test/support/traffic/counted-by-hand.js';
import { entryOf, writeEntries } from '../../../../../test/support/traffic/entries.js';
import { randomLog } from '../../../../../test/support/traffic/random-log.js';
import { createTable } from '../../../../storage/tables/table.js';
import { siteLogTable } from '../../api/site-log.js';
import { accessEntriesTable } from '../../record/tables/access-entries.js';
import { TrafficRollUps, trafficRollUpsTable } from './traffic-roll-ups.js';
import { EXACT, VisitorSketch } from './visitor-sketch.js';
import { DAY_MS, HOUR_MS } from './whole-days.js';

type Row = Record<
  'site_id' | 'dimension' | 'value' | 'hits' | 'pageviews' | 'visits' | 'bytes' | 'visitors',
  string
> & {
  readonly at: Date;
  readonly sketch?: Buffer | null;
};

const time = (text: string) => Date.parse(`2026-11-${text}Z`);
const later = new Date(time('20T00:00'));

describe('Traffic roll-ups', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let rollUps: TrafficRollUps;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    for (const table of [siteLogTable, accessEntriesTable, trafficRollUpsTable]) await createTable(pool, table);
  });
  const clear = async () => {
    await pool.query('truncate access_entries, traffic_hours, traffic_days, access_dropped, traffic_progress');
    await pool.query('insert into traffic_progress default values');
    rollUps = new TrafficRollUps(pool);
  };
  beforeEach(clear);
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Returns the rows of a table in the format of the rows that the test computes itself. */
  async function rowsOf(table: 'traffic_hours' | 'traffic_days') {
    const { rows } = await pool.query<Row>(`select * from ${table} order by site_id, at, dimension, value`);
    return rows.map((row) => ({
      key: keyOf(row.site_id, row.at.getTime(), row.dimension as 'total', row.value),
      hits: Number(row.hits),
      pageviews: Number(row.pageviews),
      visits: Number(row.visits),
      bytes: Number(row.bytes),
      visitors: Number(row.visitors),
    }));
  }
  const shown = (figures: Figures) =>
    [...figures]
      .map(([key, { visitors, ...numbers }]) => ({ key, ...numbers, visitors: visitors.size }))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
  const sorted = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
    rows.sort((one, other) => (one.key < other.key ? -1 : 1));
  const everything = async () => ({
    hours: sorted(await rowsOf('traffic_hours')),
    days: sorted(await rowsOf('traffic_days')),
    sketches: (
      await pool.query('select site_id, at, value, sketch from traffic_hours where sketch is not null order by 1, 2, 3')
    ).rows,
  });
  const takeInAll = async (now = later) => {
    while (await rollUps.takeIn(now));
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'roll-ups match a count made by looping over all entries (log %i)',
    async (seed) => {
      const log = randomLog(seed, 600);
      // Roll up the entries as they arrive. Some days end in the meantime.
      for (let at = 0; at < log.length; at += 97) {
        const part = log.slice(at, at + 97);
        await writeEntries(pool, part);
        await rollUps.takeIn(new Date(Math.max(...part.map((entry) => entry.at))));
      }
      await takeInAll();
      const { hours, days } = await everything();
      expect(hours).toEqual(shown(countedByHand(log, 'hour')));
      expect(days).toEqual(shown(countedByHand(log, 'day')));
    },
  );

  it('roll-ups are the same wherever the log is split, even if entries are rolled up twice', async () => {
    const log = randomLog(11, 40);
    await writeEntries(pool, log);
    await takeInAll();
    const expected = await everything();
    expect(expected.days).toEqual(shown(countedByHand(log, 'day')));
    for (let split = 0; split <= log.length; split++) {
      await clear();
      await writeEntries(pool, log.slice(0, split));
      await rollUps.takeIn(new Date(time('11T12:00')));
      await rollUps.takeIn(later);
      await writeEntries(pool, log.slice(split));
      await takeInAll();
      expect(await everything()).toEqual(expected);
      await pool.query('update traffic_progress set last_id = 0');
      await takeInAll();
      expect(await everything()).toEqual(expected);
    }
  });

  it('roll-ups catch up in steps after a long time', async () => {
    const log = randomLog(12, 300);
    await writeEntries(pool, log);
    await pool.query('update traffic_progress set last_id = (select min(id) - 1 from access_entries)');
    rollUps = new TrafficRollUps(pool, 37);
    let steps = 1;
    while (await rollUps.takeIn(later)) steps++;
    expect(steps).toBe(9);
    expect((await everything()).hours).toEqual(shown(countedByHand(log, 'hour')));
  });

  it('roll-ups are complete after a crash at any point, once another step has run', async () => {
    const log = randomLog(13, 300);
    await writeEntries(pool, log.slice(0, 150));
    await takeInAll(new Date(time('10T12:00')));
    await writeEntries(pool, log.slice(150));
    const before = await everything();
    let cut = 0;
    for (let isDone = false; !isDone; cut++) {
      let statements = 0;
      class CutClient extends pg.Client {
        constructor(config?: pg.ClientConfig) {
          super(config);
          const query = this.query.bind(this);
          Object.assign(this, {
            query: (...given: Parameters<typeof query>) => {
              if (statements++ === cut) this.connection.stream.destroy();
              return query(...given);
            },
          });
        }
      }
      const crashing = new pg.Pool({ ...database.config, Client: CutClient, max: 1 });
      crashing.on('error', () => undefined);
      isDone = await new TrafficRollUps(crashing).takeIn(later).then(
        () => true,
        () => false,
      );
      await crashing.end();
      if (!isDone) expect(await everything()).toEqual(before);
    }
    expect(cut).toBeGreaterThan(10);
    expect((await everything()).days).toEqual(shown(countedByHand(log, 'day')));
  });

  it('roll-ups are computed by only one process at a time', async () => {
    await writeEntries(pool, randomLog(14, 50));
    const other = await pool.connect();
    await other.query("select pg_advisory_lock(hashtextextended('stele traffic roll-ups', 0))");
    expect(await rollUps.takeIn(later)).toBeUndefined();
    await other.query('select pg_advisory_unlock_all()');
    other.release();
    expect(await rollUps.takeIn(later)).toBe(false);
  });

  it('roll-ups keep the most frequent values of each hour and day, and add up all other values', async () => {
    const paths = Array.from({ length: 1_500 }, (_, n) => `/random-${n}`);
    const hours = [0, 1, 2, 3, 4, 5, 6];
    const entries = hours.flatMap((hour) => [
      ...paths.map((path, n) =>
        entryOf({ at: time('10T00:00') + hour * HOUR_MS + n, path: `${path}-of-${hour}`, visitor: BigInt(n) }),
      ),
      ...[1, 2, 3].map((n) => entryOf({ at: time('10T00:30') + hour * HOUR_MS + n, path: '/known', visitor: 9_999n })),
    ]);
    await writeEntries(pool, entries);
    await takeInAll();
    for (const [table, most] of [
      ['traffic_hours', 7 * 201],
      ['traffic_days', 1_001],
    ] as const) {
      const { rows } = await pool.query(
        `select count(*)::int as count, sum(hits)::int as hits, sum(pageviews)::int as pageviews,
           sum(hits) filter (where value = '/known')::int as known
         from ${table} where dimension = 'page'`,
      );
      expect(rows).toEqual([{ count: most, hits: entries.length, pageviews: entries.length, known: 21 }]);
    }
    const span = { from: time('10T00:00'), to: time('11T00:00') };
    const largest = await rollUps.figures.largest('site_1', span, 100);
    const pages = largest.filter(({ dimension }) => dimension === 'page');
    expect(pages).toHaveLength(100);
    expect(pages[0]).toMatchObject({ value: '/known', hits: 21, visits: 7, visitors: 1 });
  });

  it('roll-ups group very long paths by their prefix', async () => {
    const long = `/${'ü'.repeat(5_000)}`;
    await writeEntries(pool, [entryOf({ path: `${long}1` }), entryOf({ path: `${long}2`, visitor: 2n })]);
    await takeInAll();
    const { rows } = await pool.query("select value, visits from traffic_days where dimension = 'page'");
    expect(rows).toEqual([{ value: long.slice(0, 500), visits: '2' }]);
  });

  it('visitors across several hours are counted exactly if there are few, and approximately if there are many', async () => {
    const of = (from: number, to: number, hour: number) =>
      Array.from({ length: to - from }, (_, n) => {
        const visitor = hash('sha256', `visitor ${from + n}`, 'buffer').readBigInt64BE(0);
        return entryOf({ at: time('10T00:00') + hour * HOUR_MS + n, path: n % 2 ? '/odd' : '/even', visitor });
      });
    const log = [...of(0, 600, 3), ...of(500, 1_000, 4), ...of(0, 5_000, 6), ...of(4_000, 7_000, 7)];
    await writeEntries(pool, log);
    await takeInAll();
    const visitors = async (from: string, to: string) =>
      (await rollUps.figures.byDay('site_1', { from: time(from), to: time(to) }))[0]?.visitors;
    expect(await visitors('10T03:00', '10T04:00')).toBe(600);
    expect(await visitors('10T03:00', '10T05:00')).toBe(1_000);
    expect(await visitors('10T06:00', '10T07:00')).toBe(5_000);
    const many = (await visitors('10T03:00', '10T08:00')) ?? 0;
    expect(Math.abs(many / 7_000 - 1)).toBeLessThan(0.04);
    // The visitor count is exact for a range that begins at midnight.
    expect(await visitors('10T00:00', '10T08:00')).toBe(7_000);
    expect(await visitors('10T00:00', '11T00:00')).toBe(7_000);

    const { rows } = await pool.query<{ at: Date; value: string; visitors: string; sketch: Buffer }>(
      'select at, value, visitors, sketch from traffic_hours where sketch is not null',
    );
    expect(rows).toHaveLength(12);
    expect(rows.some(({ visitors: each }) => Number(each) > EXACT)).toBe(true);
    for (const { at, value, sketch } of rows) {
      const same = new VisitorSketch();
      for (const { at: when, path, visitor } of log)
        if (
          Math.floor(when / HOUR_MS) * HOUR_MS === at.getTime() &&
          (value === '' || path === value) &&
          visitor !== null
        )
          same.add(visitor);
      expect(new VisitorSketch().merge(sketch).toBytes()).toEqual(same.toBytes());
    }
  });

  it('roll-ups stay unchanged once their day is closed, even if entries are deleted', async () => {
    const [first, last] = [entryOf({ at: time('10T23:50') }), entryOf({ at: time('11T00:10') })];
    await writeEntries(pool, [first, last]);
    expect(await rollUps.close(new Date(time('11T00:00')), { withEntries: true })).toBe(false);
    await takeInAll();
    const before = await everything();
    expect(await rollUps.close(new Date(time('11T00:00')), { withEntries: true })).toBe(true);
    expect((await pool.query('select at from access_entries')).rows).toEqual([{ at: new Date(last.at) }]);
    await writeEntries(pool, [entryOf({ at: time('10T23:55'), visitor: 7n })]);
    await takeInAll();
    expect(await everything()).toEqual(before);
    // The late entry is deleted together with the entries of the next day.
    expect(await rollUps.close(new Date(time('12T00:00')), { withEntries: true })).toBe(true);
    expect((await pool.query('select from access_entries')).rows).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('old roll-ups are deleted, with hourly figures deleted sooner than daily figures', async () => {
    await writeEntries(
      pool,
      [1, 2, 3].map((n) => entryOf({ at: time(`1${n}T10:00`) })),
    );
    await takeInAll();
    await rollUps.forgetBefore(new Date(time('13T00:00')), new Date(time('12T00:00')));
    const days = async (table: string) =>
      (await pool.query<{ at: Date }>(`select distinct at from ${table} order by at`)).rows.map(({ at }) =>
        at.getTime(),
      );
    expect(await days('traffic_hours')).toEqual([time('13T10:00')]);
    expect(await days('traffic_days')).toEqual([time('12T00:00'), time('13T00:00')]);
  });

  it('roll-ups are erased with all other traffic of a site, without affecting other sites', async () => {
    const sites = ['site_1', 'site_2', 'site_3'];
    await writeEntries(
      pool,
      sites.flatMap((siteId) => [entryOf({ siteId }), entryOf({ siteId, at: time('12T10:00') })]),
    );
    await takeInAll();
    await pool.query("insert into access_dropped values ('site_0', '2026-11-10', 3), ('site_2', '2026-11-10', 3)");
    const { traces } = rollUps;
    const found: string[] = [];
    for (let site = await traces.nextSite(''); site !== null; site = await traces.nextSite(site)) found.push(site);
    expect(found).toEqual(['site_0', ...sites]);
    await traces.erase('site_2');
    await traces.erase('site_2');
    for (const table of ['access_entries', 'traffic_hours', 'traffic_days']) {
      const { rows } = await pool.query(`select distinct site_id from ${table} order by 1`);
      expect(rows.map(({ site_id }) => site_id)).toEqual(['site_1', 'site_3']);
    }
    expect((await pool.query('select site_id from access_dropped')).rows).toEqual([{ site_id: 'site_0' }]);
  });

  it('the stored event-log position of one database engine is not used for another engine', async () => {
    const { traces } = rollUps;
    expect(await traces.position('postgresql')).toBeNull();
    for (const position of [5n, 9n, 7n]) await traces.reached('postgresql', position);
    expect(await traces.position('postgresql')).toBe(9n);
    await traces.reached('kurrentdb', 3n);
    expect([await traces.position('kurrentdb'), await traces.position('postgresql')]).toEqual([3n, null]);
  });

  it('requests are counted for all sites together, including sites without analytics', async () => {
    await writeEntries(pool, [
      entryOf({ siteId: 'site_a', counted: false, hits: 3, bytes: 30 }),
      entryOf({ siteId: 'site_a', client: 'robot', isPage: false, status: 503 }),
      entryOf({ siteId: 'site_b', at: time('11T10:00') }),
      entryOf({ siteId: 'site_b', client: 'probe' }),
    ]);
    const all = { from: time('10T00:00'), to: time('12T00:00') };
    const a = { siteId: 'site_a', hits: 4, pageviews: 3, bytes: 130, bots: 1, errors: 1 };
    const b = { siteId: 'site_b', hits: 1, pageviews: 1, bytes: 100, bots: 0, errors: 0 };
    expect(await rollUps.figures.ofAllSites(all, 0, 10)).toEqual({ total: 2, rows: [a, b] });
    expect(await rollUps.figures.ofAllSites(all, 1, 1)).toEqual({ total: 2, rows: [b] });
    expect(await rollUps.figures.ofAllSites(all, 5, 10)).toEqual({ total: 2, rows: [] });
    expect((await rollUps.figures.ofAllSites({ ...all, from: time('11T00:00') }, 0, 10)).rows).toEqual([b]);
  });

  it('dropped requests are reported for whole days, even if the range covers only part of a day', async () => {
    await pool.query("insert into access_dropped values ('site_1', '2026-11-10', 3), ('site_1', '2026-11-11', 4)");
    const dropped = (from: number, to: number) => rollUps.figures.dropped('site_1', { from, to });
    const day = time('10T00:00');
    expect(await dropped(day, day + DAY_MS)).toBe(3);
    expect(await dropped(day + HOUR_MS, day + DAY_MS + HOUR_MS)).toBe(7);
    expect(await dropped(day + 2 * DAY_MS, day + 3 * DAY_MS)).toBe(0);
  });
});
