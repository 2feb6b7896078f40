import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { LossyPostgresProxy } from '../../../../test/support/database/lossy-postgres-proxy.js';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { createTable } from '../../../storage/tables/table.js';
import { siteLogTable } from '../api/site-log.js';
import { AccessEntries, accessEntriesTable } from './tables/access-entries.js';
import type { AccessEntry } from './tables/access-entry.js';
import { TrafficWriter } from './traffic-writer.js';
import { visitorFields } from './visitor/visitor-fields.js';
import { WaitingEntries } from './waiting-entries.js';

const AT = Date.UTC(2026, 10, 24, 12);
const effort = { share: 1, alonePerSecond: 1_000, entriesPerSecond: 10_000 };

describe('TrafficWriter', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let network: LossyPostgresProxy;
  let pool: pg.Pool;
  let through: pg.Pool;
  let entries: AccessEntries;
  let waiting: WaitingEntries;
  let writer: TrafficWriter;
  let stopping: AbortController;
  let faults: unknown[];
  let works: () => void;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    await createTable(pool, siteLogTable);
    await createTable(pool, accessEntriesTable);
    network = await LossyPostgresProxy.before(database.config);
    through = new pg.Pool({ ...database.config, ...network.address });
    entries = new AccessEntries(through);
    waiting = new WaitingEntries(1_000, { isSpent: () => false, spend: () => undefined });
    faults = [];
    works = () => undefined;
    const task = { failed: (error: unknown) => void faults.push(error), succeeded: () => works() };
    writer = new TrafficWriter(entries, waiting, 'a', task);
    stopping = new AbortController();
    writer.start(stopping.signal);
  });
  afterEach(async () => {
    stopping.abort();
    await writer.finish();
    await entries.closeConnections();
    await through.end();
    await network.close();
    await pool.end();
    await database.drop();
  });

  function add(path: string) {
    const entry: AccessEntry = {
      siteId: 'site_1',
      at: AT,
      hits: 1,
      method: 'GET',
      path,
      status: 200,
      bytes: 1,
      ms: 0,
      referrer: null,
      client: 'person',
      isPage: true,
      counted: false,
      visitor: null,
      browser: null,
      system: null,
      device: null,
      country: null,
    };
    const place = { siteId: 'site_1', isCounted: false, prefixLength: 0, isHtml: true };
    const request = { method: 'GET', url: path, rawHeaders: [], bytes: 1 };
    const served = { place, request, status: 200, bytes: 1, at: AT, ms: 0, peer: '', hosts: { isOf: () => false } };
    waiting.add(served, AT, visitorFields([]), effort, () => entry);
  }
  const written = () => new Promise<void>((resolve) => (works = resolve));
  const paths = async () =>
    (await pool.query('select path from access_entries order by id')).rows.map(({ path }) => path);

  it('writes all waiting entries together', async () => {
    const isWritten = written();
    add('/a');
    writer.write();
    add('/b');
    writer.write();
    await isWritten;
    expect(await paths()).toEqual(['/a', '/b']);
    expect(writer).toMatchObject({ written: 2, failedBatches: 0, lost: 0, underWay: 0 });
  });

  it.each(['notify stele_site_log', 'access_writers', 'copy access_entries', 'begin'])(
    'writes a batch only once if the response to “%s” was lost',
    async (word) => {
      const isWritten = written();
      network.loses(word);
      add('/a');
      writer.write();
      await isWritten;
      expect(network.lost).toBe(1);
      expect(await paths()).toEqual(['/a']);
      expect(writer.failedBatches).toBe(1);
      expect(faults).toHaveLength(1);
    },
  );

  it('abandons and counts entries that the database refuses, then continues with other entries', async () => {
    const isWritten = written();
    add('/a\0b');
    writer.write();
    await isWritten;
    expect(await paths()).toEqual([]);
    expect(writer).toMatchObject({ written: 0, lost: 1, failedBatches: 3 });
    expect((await pool.query('select hits::int from access_dropped')).rows).toEqual([{ hits: 1 }]);
    const again = written();
    add('/c');
    writer.write();
    await again;
    expect(await paths()).toEqual(['/c']);
  });

  it('writes the remaining entries when the process stops', async () => {
    add('/a');
    stopping.abort();
    const began = performance.now();
    await writer.finish();
    // The writer waits only two seconds for a slow database, but the database still receives the batch.
    if (performance.now() - began > 1_900) while ((await paths()).length === 0);
    expect(await paths()).toEqual(['/a']);
  });
});
