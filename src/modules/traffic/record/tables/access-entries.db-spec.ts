import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../../test/support/database/test-database.js';
import { createTable } from '../../../../storage/tables/table.js';
import { siteLogTable } from '../../api/site-log.js';
import { AccessEntries, accessEntriesTable } from './access-entries.js';
import type { AccessEntry } from './access-entry.js';
import { computeDayNumber } from './access-partitions.js';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 10, 24, 12);

const entry = (more: Partial<AccessEntry> = {}): AccessEntry => ({
  siteId: 'site_1',
  at: NOON,
  hits: 1,
  method: 'GET',
  path: '/',
  status: 200,
  bytes: 10,
  ms: 0.5,
  referrer: null,
  client: 'person',
  isPage: true,
  counted: true,
  visitor: null,
  browser: null,
  system: null,
  device: null,
  country: null,
  ...more,
});

describe('AccessEntries', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let one: AccessEntries;
  /** A second instance with its own connections, which represents another process. */
  let other: AccessEntries;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    await createTable(pool, siteLogTable);
    await createTable(pool, accessEntriesTable);
    one = new AccessEntries(pool);
    other = new AccessEntries(pool);
  });
  afterEach(async () => {
    await one.closeConnections();
    await other.closeConnections();
    await pool.end();
    await database.drop();
  });

  const rows = async (query: string) => (await pool.query(query)).rows;
  const partitions = async () =>
    (
      await rows(
        "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'access_entries'::regclass order by 1",
      )
    ).map(({ relname }) => relname);

  it('stores any string unchanged', async () => {
    const strange = 'a\\b\tc\nd\re\\N"\u2603\u{1f600}';
    const visitor = -(2n ** 63n);
    const written = entry({
      path: strange,
      referrer: '\\N',
      browser: '\\.',
      visitor,
      bytes: 2 ** 40,
      hits: 7,
      ms: 1.25,
    });
    expect(await one.write({ process: 'a', number: 1, entries: [written], dropped: [] })).toBe(true);
    expect(await rows('select * from access_entries')).toEqual([
      {
        id: expect.any(String),
        site_id: 'site_1',
        at: new Date(NOON),
        hits: 7,
        method: 'GET',
        path: strange,
        status: 200,
        bytes: String(2 ** 40),
        ms: 1.25,
        referrer: '\\N',
        client: 'person',
        is_page: true,
        counted: true,
        visitor: String(visitor),
        browser: '\\.',
        system: null,
        device: null,
        country: null,
      },
    ]);
  });

  it('writes a batch only once, however often it is sent', async () => {
    const batch = {
      process: 'a',
      number: 1,
      entries: [entry(), entry()],
      dropped: [{ siteId: 'site_1', day: computeDayNumber(NOON), hits: 5 }],
    };
    expect(await one.write(batch)).toBe(true);
    expect(await one.write(batch)).toBe(false);
    expect(await one.write({ ...batch, number: 2 })).toBe(true);
    expect(await one.write(batch)).toBe(false);
    expect(await other.write({ ...batch, process: 'b' })).toBe(true);
    expect(await rows('select count(*)::int as n from access_entries')).toEqual([{ n: 6 }]);
    expect(await rows('select site_id, day::text, hits::int from access_dropped')).toEqual([
      { site_id: 'site_1', day: '2026-11-24', hits: 15 },
    ]);
  });

  it('writes a batch completely or not at all, so that it can be sent again', async () => {
    const wrong = { ...entry(), siteId: 'a\0b' };
    await expect(one.write({ process: 'a', number: 1, entries: [entry(), wrong], dropped: [] })).rejects.toThrow();
    expect(await rows('select count(*)::int as n from access_entries')).toEqual([{ n: 0 }]);
    expect(await one.write({ process: 'a', number: 1, entries: [entry()], dropped: [] })).toBe(true);
  });

  it('makes entries visible in the order of their IDs, even with two writers', async () => {
    const seen: bigint[] = [];
    let isOver = false;
    const reading = (async () => {
      let last = 0n;
      while (!isOver) {
        const found = await rows(`select id from access_entries where id > ${last} order by id`);
        for (const { id } of found) seen.push(BigInt(id));
        last = seen.at(-1) ?? last;
      }
    })();
    const writing = [one, other].map(async (writer, process) => {
      for (let number = 1; number <= 20; number++) {
        const entries = Array.from({ length: 50 }, () => entry());
        await writer.write({ process: String(process), number, entries, dropped: [] });
      }
    });
    await Promise.all(writing);
    isOver = true;
    await reading;
    const all = await rows('select id from access_entries order by id');
    const missed = all.map(({ id }) => BigInt(id)).filter((id) => id <= (seen.at(-1) ?? 0n) && !seen.includes(id));
    expect(all).toHaveLength(2_000);
    expect(missed).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
  });

  it('creates one partition per day, even when several processes do so', async () => {
    const entries = [entry({ at: NOON }), entry({ at: NOON + DAY_MS }), entry({ at: NOON - DAY_MS })];
    await Promise.all([
      one.write({ process: 'a', number: 1, entries, dropped: [] }),
      other.write({ process: 'b', number: 1, entries, dropped: [] }),
      one.partitions.make([computeDayNumber(NOON) + 2]),
    ]);
    expect(await partitions()).toEqual([
      'access_entries_20261123',
      'access_entries_20261124',
      'access_entries_20261125',
      'access_entries_20261126',
    ]);
    expect(await rows('select count(*)::int as n from access_entries_20261125')).toEqual([{ n: 2 }]);
    const indexes = await rows("select indexdef from pg_indexes where tablename = 'access_entries_20261125'");
    expect(indexes).toHaveLength(3);
  });

  it('assigns each entry to its day, precise to the millisecond', async () => {
    const midnight = Date.UTC(2026, 10, 25);
    const entries = [entry({ at: midnight - 1 }), entry({ at: midnight })];
    await one.write({ process: 'a', number: 1, entries, dropped: [] });
    expect(await rows('select count(*)::int as n from access_entries_20261124')).toEqual([{ n: 1 }]);
    expect(await rows('select count(*)::int as n from access_entries_20261125')).toEqual([{ n: 1 }]);
  });

  it('drops old days, and accepts late entries for them', async () => {
    const on = (day: number) => entry({ at: NOON + day * DAY_MS });
    await one.write({ process: 'a', number: 1, entries: [on(-2), on(-1), on(0)], dropped: [] });
    expect(await other.partitions.dropBefore(computeDayNumber(NOON) - 1)).toBe(1);
    expect(await partitions()).toEqual(['access_entries_20261123', 'access_entries_20261124']);
    expect(await rows('select count(*)::int as n from access_entries')).toEqual([{ n: 2 }]);
    // Another process has dropped the partition of a day. This process does not notice that until it calls
    // `forgetKnown`.
    const late = { process: 'a', number: 2, entries: [on(-2)], dropped: [] };
    await expect(one.write(late)).rejects.toThrow(/partition/);
    one.partitions.forgetKnown();
    expect(await one.write(late)).toBe(true);
  });

  it('does not drop a day that is being read, and stops waiting for the reader after a short time', async () => {
    await one.write({ process: 'a', number: 1, entries: [entry({ at: NOON - 9 * DAY_MS })], dropped: [] });
    const reader = await pool.connect();
    await reader.query('begin; select * from access_entries');
    await expect(other.partitions.dropBefore(computeDayNumber(NOON))).rejects.toMatchObject({ code: '55P03' });
    await reader.query('commit');
    reader.release();
    expect(await other.partitions.dropBefore(computeDayNumber(NOON))).toBe(1);
  });

  it('deletes the counts of dropped requests from before a given day', async () => {
    const dropped = [
      { siteId: 'site_1', day: computeDayNumber(NOON) - 1, hits: 1 },
      { siteId: 'site_1', day: computeDayNumber(NOON), hits: 2 },
    ];
    await one.write({ process: 'a', number: 1, entries: [], dropped });
    await one.forgetDropped(computeDayNumber(NOON));
    expect(await rows('select hits::int from access_dropped')).toEqual([{ hits: 2 }]);
  });
});
