import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { writeEntries } from '../../../../../test/support/traffic/entries.js';
import { countedAsGoatCounter } from '../../../../../test/support/traffic/goatcounter.js';
import { KnownLog } from '../../../../../test/support/traffic/known-log.js';
import { createTable } from '../../../../storage/tables/table.js';
import { siteLogTable } from '../../api/site-log.js';
import { accessEntriesTable } from '../../record/tables/access-entries.js';
import type { TrafficDimension, TrafficValue } from './traffic-figures.js';
import { TrafficRollUps, trafficRollUpsTable } from './traffic-roll-ups.js';
import { DAY_MS } from './whole-days.js';

const first = Date.parse('2026-11-10T00:00:00Z');

describe('The figures computed from a log with known results', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let rollUps: TrafficRollUps;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    for (const table of [siteLogTable, accessEntriesTable, trafficRollUpsTable]) await createTable(pool, table);
    rollUps = new TrafficRollUps(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Writes the log entries of the site in parts, as if they arrived over time. */
  async function play(log: KnownLog, siteId: string) {
    const entries = log.inOrder.map(({ entry }) => ({ ...entry, siteId }));
    const parts = 12;
    for (let part = 0; part < parts; part++) {
      const some = entries.slice((part * entries.length) / parts, ((part + 1) * entries.length) / parts);
      await writeEntries(pool, some);
      await rollUps.takeIn(new Date(some.at(-1)?.at ?? first));
    }
    const span = { from: first, to: first + log.length * DAY_MS };
    return {
      days: await rollUps.figures.byDay(siteId, span),
      values: await rollUps.figures.largest(siteId, span, 100),
    };
  }

  const of = (values: readonly TrafficValue[], dimension: TrafficDimension, what: 'hits' | 'visits' | 'visitors') =>
    new Map(values.filter((each) => each.dimension === dimension).map((each) => [each.value, each[what]]));
  const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, each) => all + each, 0);

  it('figures match the known results for 50,000 requests, and those of GoatCounter for pages', async () => {
    const log = new KnownLog(1, first);
    const { answers } = log;
    expect(log.requests.length).toBeGreaterThan(45_000);
    const { days, values } = await play(log, 'site_known');
    expect(new Map(days.map(({ at, ...totals }) => [at, totals]))).toEqual(answers.days);
    expect(of(values, 'page', 'hits')).toEqual(answers.pageviews);
    expect(of(values, 'page', 'visitors')).toEqual(answers.pageVisitors);
    expect(of(values, 'entry', 'visits')).toEqual(answers.entries);
    expect(of(values, 'referrer', 'visits')).toEqual(answers.referrers);
    expect(of(values, 'missing', 'hits')).toEqual(answers.missing);
    expect(of(values, 'status', 'hits')).toEqual(answers.statuses);
    expect(of(values, 'client', 'hits').get('robot')).toBe(answers.robots);
    expect(answers.untracked).toBeGreaterThan(500);

    // GoatCounter counts people who have opted out as visitors. This service counts only their pageviews.
    const tracked = log.inOrder.filter(({ entry }) => entry.visitor !== null);
    expect(countedAsGoatCounter(tracked)).toEqual(of(values, 'page', 'visitors'));
    const objecting = log.inOrder.filter(({ entry }) => entry.visitor === null);
    expect(sum(countedAsGoatCounter(log.inOrder)) - sum(of(values, 'page', 'visitors'))).toBe(
      sum(countedAsGoatCounter(objecting)),
    );
  });

  it('figures differ from GoatCounter’s for visits across midnight and for visitors who return after eight hours', async () => {
    const log = new KnownLog(2, first, 3, 60);
    log.crossings(first, 30, '/crossed');
    log.returns(first + DAY_MS, 20, '/returned');
    const { days, values } = await play(log, 'site_apart');
    expect(new Map(days.map(({ at, ...totals }) => [at, totals]))).toEqual(log.answers.days);
    const visitors = of(values, 'page', 'visitors');
    const theirs = countedAsGoatCounter(log.inOrder.filter(({ entry }) => entry.visitor !== null));
    // Visitors are counted per day: a visitor who stays past midnight counts on both days, but only once in
    // GoatCounter.
    expect([visitors.get('/crossed'), theirs.get('/crossed')]).toEqual([60, 30]);
    // A returning visitor counts once per day here, but again in GoatCounter.
    expect([visitors.get('/returned'), theirs.get('/returned')]).toEqual([20, 40]);
    expect(of(values, 'page', 'visits').get('/returned')).toBe(40);
    for (const path of ['/crossed', '/returned'])
      for (const counts of [visitors, theirs]) (counts as Map<string, number>).delete(path);
    expect(theirs).toEqual(visitors);
  });
});
