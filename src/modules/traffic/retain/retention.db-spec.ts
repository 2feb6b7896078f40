import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { createTable } from '../../../storage/tables/table.js';
import { siteLogTable } from '../api/site-log.js';
import { AccessEntries, accessEntriesTable } from '../record/tables/access-entries.js';
import { computeDayNumber } from '../record/tables/access-partitions.js';
import { Retention } from './retention.js';

const NOW = Date.UTC(2026, 10, 24, 12);

describe('The daily partitions', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let entries: AccessEntries;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    await createTable(pool, siteLogTable);
    await createTable(pool, accessEntriesTable);
    entries = new AccessEntries(pool);
    await entries.partitions.make(Array.from({ length: 12 }, (_, n) => computeDayNumber(NOW) - n));
  });
  afterEach(async () => {
    await entries.closeConnections();
    await pool.end();
    await database.drop();
  });

  const days = async () => {
    const { rows } = await pool.query(
      "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'access_entries'::regclass order by 1",
    );
    return rows.map(({ relname }) => relname.slice(-4));
  };

  it.each([
    [3, ['1121', '1122', '1123', '1124', '1125', '1126']],
    [1, ['1123', '1124', '1125', '1126']],
    // Even if no days are to be kept, yesterday's entries remain until they are added up.
    [0, ['1123', '1124', '1125', '1126']],
  ])('daily partitions are kept for %d days before today and created two days ahead', async (accessKeptDays, kept) => {
    const retention = new Retention(
      { accessKeptDays, accessBytesPerDay: 2 ** 26, rollupsKeptDays: 730, geoip: null },
      entries,
    );
    await retention.look(NOW);
    expect(await days()).toEqual(kept);
    await retention.look(NOW);
    expect(await days()).toEqual(kept);
  });
});
