import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { writeAccess } from '../../../../test/support/traffic/log-rows.js';
import { createTable } from '../../../storage/tables/table.js';
import type { LogEntry } from '../api/log-entry.js';
import { SiteLog, siteLogTable } from '../api/site-log.js';
import { type LogFilter, passes } from './log-filter.js';
import { SiteLogEntries } from './site-log-entries.js';

function* numbers(seed: number) {
  for (let value = seed; ; ) {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield value >>> 8;
  }
}

const SITE = 'site_1';

describe('SiteLogEntries', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let log: SiteLogEntries;
  let all: readonly LogEntry[];
  const random = numbers(7);
  const one = <Value>(of: readonly Value[]) => of[(random.next().value ?? 0) % of.length] as Value;

  const texts = ['/', '/Docs', '/docs/ä', '/ÄÖ', '/%', '/_', '/\\', "/'", '/😀', '/\u001b[0m', '/İI', '/ß', '/ſ'];
  const times = ['2026-11-20T00:00:00.000Z', '2026-11-20T12:00:00.001Z', '2026-11-21T00:00:00.000Z'];

  beforeAll(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    log = new SiteLogEntries(pool, true);
    await createTable(pool, siteLogTable);
    const client = await pool.connect();
    for (let batch = 0; batch < 40; batch++) {
      await writeAccess(
        client,
        one([SITE, SITE, 'site_2']),
        Array.from({ length: 10 }, () => ({
          at: new Date(one(times)),
          path: one(texts) + one(texts),
          status: one([200, 204, 301, 399, 400, 404, 499, 500, 599]),
          method: one(['GET', 'get', 'POST']),
        })),
      );
      await client.query(
        `insert into site_activity (site_id, at, kind, level, message, data) values ($1, $2, $3, $4, $5, '{"type":"X"}')`,
        [SITE, one(times), one(['deploy', 'job', 'system', 'server']), one(['info', 'warn', 'error']), one(texts)],
      );
    }
    client.release();
    all = (await log.oldest(SITE, {}, { limit: 10_000 })).entries;
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('returns the entries of a site in the order of their IDs', () => {
    expect(all.length).toBeGreaterThan(200);
    expect(all.every(({ siteId }) => siteId === SITE)).toBe(true);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => a - b));
  });

  it('filters entries in the database in the same way as in live streams', async () => {
    const maybe = <Value>(of: readonly Value[]) => (one([true, false, false]) ? one(of) : undefined);
    let found = 0;
    for (let n = 0; n < 300; n++) {
      const filter: LogFilter = {
        kind: maybe([['access'], ['deploy', 'job'], ['access', 'system'], ['server']] as const),
        level: maybe([['info'], ['warn', 'error']] as const),
        status: maybe([
          [[404, 404]],
          [[400, 499]],
          [
            [200, 299],
            [500, 599],
          ],
        ] as const),
        path: maybe(texts),
        q: maybe([...texts, 'get', 'GET /', ' 404', 'i', 'Ä', 'ä', 's']),
        since: maybe(times),
        until: maybe(times),
      };
      const expected = all.filter((entry) => passes(filter, entry));
      found += expected.length;
      expect((await log.oldest(SITE, filter, { limit: 10_000 })).entries).toEqual(expected);
      expect((await log.newest(SITE, filter, { limit: 10_000 })).entries).toEqual(expected.toReversed());
    }
    expect(found).toBeGreaterThan(1_000);
  }, 60_000);

  it('returns pages of entries without gaps', async () => {
    const filter: LogFilter = { level: ['warn', 'error'] };
    const down: LogEntry[] = [];
    for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
      const part = await log.newest(SITE, filter, { before, limit: 7 });
      down.push(...part.entries);
      before = part.reached;
    }
    const up: LogEntry[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const part = await log.oldest(SITE, filter, { after, limit: 7 });
      up.push(...part.entries);
      after = part.reached;
    }
    const expected = all.filter((entry) => passes(filter, entry));
    expect([up, down.toReversed()]).toEqual([expected, expected]);
  });

  it('omits requests if the log is configured not to show them', async () => {
    const { entries } = await new SiteLogEntries(pool, false).newest(SITE, {}, { limit: 500 });
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['deploy', 'job', 'system', 'server']));
  });

  it('waits for concurrent writers before it returns the end of the log', async () => {
    const written = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let id = 0;
    const writing = new SiteLog(pool).add(async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `insert into site_activity (site_id, at, kind, level, message, data) values ('site_3', now(), 'job', 'info', '', '{}') returning id`,
      );
      id = Number(rows[0]?.id);
      written.resolve();
      await goOn.promise;
    });
    await written.promise;
    const end = log.end();
    expect(await Promise.race([end, log.newest('site_3', {}, { limit: 1 })])).toEqual({ entries: [], reached: null });
    goOn.resolve();
    await writing;
    expect(await end).toBe(id);
    expect((await log.newest('site_3', {}, { limit: 1 })).entries).toMatchObject([{ id }]);
  });
});
