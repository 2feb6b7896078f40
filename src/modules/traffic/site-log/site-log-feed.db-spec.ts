import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase, ownPostgres } from '../../../../test/support/database/test-database.js';
import { writeAccess } from '../../../../test/support/traffic/log-rows.js';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { EnduringClient } from '../../../storage/postgres/enduring-client.js';
import { createTable } from '../../../storage/tables/table.js';
import type { LogEntry } from '../api/log-entry.js';
import { siteLogTable } from '../api/site-log.js';
import { SiteLogEntries } from './site-log-entries.js';
import { SiteLogFeed } from './site-log-feed.js';

/** Counts the queries that read entries for all watchers, and can make reads for a single watcher fail. */
class CountingEntries extends SiteLogEntries {
  readings = 0;
  /** How many of the next reads for a single watcher fail, as if the database were unavailable. */
  failures = 0;

  override async oldest(...given: Parameters<SiteLogEntries['oldest']>) {
    if (this.failures-- > 0) throw new StoreUnavailableError('The database is not responding.');
    return super.oldest(...given);
  }

  override ofAll(...given: Parameters<SiteLogEntries['ofAll']>) {
    this.readings++;
    return super.ofAll(...given);
  }
}

describe('SiteLogFeed', () => {
  let pool: pg.Pool;
  let entries: CountingEntries;
  let feed: SiteLogFeed;
  let drop: () => Promise<void>;
  const stopping: AbortController[] = [];

  async function open(config: pg.PoolConfig, close: () => Promise<void>) {
    pool = new pg.Pool({ ...config, Client: EnduringClient, max: 4 }).on('error', () => undefined);
    drop = close;
    entries = new CountingEntries(pool, true);
    feed = new SiteLogFeed(entries, config);
    await createTable(pool, siteLogTable);
  }
  beforeEach(async () => {
    const { config, drop: close } = await freshDatabase();
    await open(config, close);
  });
  afterEach(async () => {
    for (const each of stopping.splice(0)) each.abort();
    await pool.end();
    await drop();
  });

  const write = async (siteId: string, ...paths: string[]) => {
    const client = await pool.connect();
    try {
      return await writeAccess(
        client,
        siteId,
        paths.map((path) => ({ path })),
      );
    } finally {
      client.release();
    }
  };

  function watch(siteId: string, after = 0) {
    const stop = new AbortController();
    stopping.push(stop);
    const seen: LogEntry[] = [];
    const going = (async () => {
      for await (const batch of feed.watch(siteId, after, stop.signal)) seen.push(...batch);
    })();
    const paths = () => seen.map((entry) => (entry.kind === 'access' ? entry.path : ''));
    const until = async (path: string) => {
      while (paths().at(-1) !== path) await new Promise(setImmediate);
      return paths();
    };
    const end = async () => {
      stop.abort();
      await going;
    };
    return { until, paths, end };
  }

  it('returns existing entries after an ID, followed by new ones, only for the watched site', async () => {
    const [first = 0] = await write('site_1', '/1', '/2');
    const whole = watch('site_1');
    const later = watch('site_1', first);
    expect(await whole.until('/2')).toEqual(['/1', '/2']);
    await write('site_2', '/other');
    await write('site_1', '/3');
    expect(await whole.until('/3')).toEqual(['/1', '/2', '/3']);
    expect(await later.until('/3')).toEqual(['/2', '/3']);
  });

  it('returns each entry only once, even to a watcher that starts while entries are written', async () => {
    const MANY = 150;
    const watching: ReturnType<typeof watch>[] = [];
    for (let n = 1; n <= MANY; n++) {
      if (n % 10 === 0) watching.push(watch(`site_${(n / 10) % 3}`));
      await Promise.all([0, 1, 2].map((site) => write(`site_${site}`, `/${n}a`, `/${n}b`)));
    }
    const expected = Array.from({ length: MANY }, (_, n) => [`/${n + 1}a`, `/${n + 1}b`]).flat();
    for (const each of watching) expect(await each.until(`/${MANY}b`)).toEqual(expected);
  }, 60_000);

  it('makes one query for all watchers, and none without watchers', async () => {
    const watching = Array.from({ length: 200 }, (_, n) => watch(`site_${n % 100}`));
    for (let n = 0; n < 100; n++) await write(`site_${n}`, '/0');
    await Promise.all(watching.map((each) => each.until('/0')));
    const before = entries.readings;
    let began = performance.now();
    // The feed also reads every 5 s without a notification.
    const most = () => 2 + (performance.now() - began) / 5_000;
    const client = await pool.connect();
    await client.query("begin; select pg_advisory_xact_lock(hashtextextended('stele site log', 0))");
    for (let n = 0; n < 100; n++)
      await client.query(
        `insert into access_entries (site_id, at, hits, method, path, status, bytes, ms, client, is_page, counted)
         values ($1, now(), 1, 'GET', '/1', 200, 0, 1, 'person', false, false)`,
        [`site_${n}`],
      );
    await client.query('notify stele_site_log; commit');
    client.release();
    await Promise.all(watching.map((each) => each.until('/1')));
    expect(entries.readings - before).toBeLessThanOrEqual(most());

    await Promise.all(watching.map((each) => each.end()));
    // Wait until the feed's connection has ended: PostgreSQL lists a connection until its process has exited.
    const connections = "select 1 from pg_stat_activity where application_name = 'stele logs of sites'";
    while ((await pool.query(connections)).rows.length > 0);
    const after = entries.readings;
    began = performance.now();
    await write('site_1', '/2');
    const again = watch('site_1');
    expect(await again.until('/2')).toEqual(['/0', '/1', '/2']);
    expect(entries.readings - after).toBeLessThanOrEqual(most());
  }, 60_000);

  it('continues if the database is unavailable while earlier entries are read', async () => {
    await write('site_1', '/1');
    entries.failures = 2;
    const watching = watch('site_1');
    expect(await watching.until('/1')).toEqual(['/1']);
    await write('site_1', '/2');
    expect(await watching.until('/2')).toEqual(['/1', '/2']);
    expect(entries.failures).toBeLessThanOrEqual(0);
  });

  it('continues from its position after the database was stopped or crashed', async () => {
    await pool.end();
    await drop();
    const postgres = await ownPostgres();
    await open(postgres.config, () => postgres.stop());
    await write('site_1', '/1');
    const watching = watch('site_1');
    await watching.until('/1');
    await postgres.away(async () => undefined);
    await write('site_1', '/2');
    expect(await watching.until('/2')).toEqual(['/1', '/2']);
    await write('site_1', '/3');
    await postgres.crash();
    await write('site_1', '/4');
    expect(await watching.until('/4')).toEqual(['/1', '/2', '/3', '/4']);
  }, 60_000);
});
