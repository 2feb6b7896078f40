import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { createTable } from '../../../storage/tables/table.js';
import { DomainCheckQueue, domainChecksTable } from './domain-checks.js';

describe('The schedule of domain checks', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let checks: DomainCheckQueue;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    checks = new DomainCheckQueue(pool);
    await createTable(pool, domainChecksTable);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const LEASE_MS = 60_000;
  const www = { hostname: 'www.example.com', siteId: 'site_1' };
  const apex = { hostname: 'example.com', siteId: 'site_1' };
  const others = { hostname: 'www.example.com', siteId: 'site_2' };

  it('checks a new domain once, without delay', async () => {
    await checks.schedule(www);
    expect(await checks.take(10, LEASE_MS)).toEqual([{ ...www, attempt: 0 }]);
    expect(await checks.take(10, LEASE_MS)).toEqual([]);
  });

  it('checks a domain again when its next check is due', async () => {
    await checks.schedule(www);
    const [due] = await checks.take(10, LEASE_MS);
    await checks.finish({ ...www, attempt: (due?.attempt ?? 0) + 1 }, {}, LEASE_MS);
    expect(await checks.take(10, LEASE_MS)).toEqual([]);
    await checks.finish({ ...www, attempt: 2 }, {}, 0);
    expect(await checks.take(10, LEASE_MS)).toEqual([{ ...www, attempt: 2 }]);
  });

  it('returns a check again after its lease expires', async () => {
    await checks.schedule(www);
    await checks.take(10, 0);
    expect(await checks.take(10, LEASE_MS)).toHaveLength(1);
  });

  it('runs only one check of a site at a time', async () => {
    for (const claim of [www, apex, others]) await checks.schedule(claim);
    const first = await checks.take(2, LEASE_MS);
    expect(first.map(({ siteId }) => siteId).sort()).toEqual(['site_1', 'site_2']);
    expect(await checks.take(10, LEASE_MS)).toEqual([]);
    await checks.finish({ ...www, attempt: 1 }, {}, LEASE_MS);
    expect(await checks.take(10, LEASE_MS)).toEqual([{ ...apex, attempt: 0 }]);
  });

  it('never gives the same check to concurrent workers', async () => {
    for (let n = 0; n < 20; n++) await checks.schedule({ hostname: `${n}.example.com`, siteId: `site_${n}` });
    const taken = await Promise.all(Array.from({ length: 8 }, () => checks.take(5, LEASE_MS)));
    const names = taken.flat().map(({ hostname }) => hostname);
    expect(new Set(names).size).toBe(names.length);
  });

  it('refuses a requested check while another check is running or has just finished', async () => {
    expect(await checks.takeNow(www, 60_000, LEASE_MS)).toBeNull();
    await checks.schedule(www);
    await checks.finish({ ...www, attempt: 3 }, {}, LEASE_MS);
    expect(await checks.takeNow(www, 60_000, LEASE_MS)).toBeNull();
    expect(await checks.takeNow(www, 0, LEASE_MS)).toEqual({ ...www, attempt: 3 });
    expect(await checks.takeNow(www, 0, LEASE_MS)).toBeNull();
  });

  it('allows a requested check immediately after a failed check', async () => {
    await checks.schedule(www);
    await checks.takeNow(www, 60_000, LEASE_MS);
    await checks.release(www);
    expect(await checks.takeNow(www, 60_000, LEASE_MS)).toEqual({ ...www, attempt: 0 });
  });

  it('keeps the findings of the last check until the domain is added again', async () => {
    await checks.schedule(www);
    expect(await checks.last([www, apex])).toEqual([null, null]);
    await checks.finish({ ...www, attempt: 1 }, { records: [] }, LEASE_MS);
    const found = { checkedAt: expect.any(Date), findings: { records: [] } };
    expect(await checks.last([others, www])).toEqual([null, found]);
    await checks.schedule(www);
    expect(await checks.last([www])).toEqual([null]);
    expect(await checks.last([])).toEqual([]);
  });

  it('scheduling missing checks does not change a domain that already has a schedule', async () => {
    await checks.schedule(www);
    await checks.finish({ ...www, attempt: 5 }, {}, LEASE_MS);
    await checks.offer([www, others]);
    expect(await checks.take(10, LEASE_MS)).toEqual([{ ...others, attempt: 0 }]);
  });

  it('scheduling missing checks schedules a domain again after its claim has ended', async () => {
    const year = 365 * 86_400_000;
    await checks.schedule(www);
    await checks.finish({ ...www, attempt: 5 }, { records: [] }, year);
    expect(await checks.take(10, LEASE_MS)).toEqual([]);
    await checks.offer([www]);
    expect(await checks.last([www])).toEqual([null]);
    expect(await checks.take(10, LEASE_MS)).toEqual([{ ...www, attempt: 0 }]);
  });

  it('does not check a removed domain', async () => {
    await checks.schedule(www);
    await checks.remove(www);
    expect(await checks.take(10, LEASE_MS)).toEqual([]);
  });
});
