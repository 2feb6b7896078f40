import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { createTable } from '../../../storage/tables/table.js';
import { CertificateRequests, certificateRequestsTable } from './certificate-requests.js';

describe('The queue of certificate requests', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let requests: CertificateRequests;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    requests = new CertificateRequests(pool);
    await createTable(pool, certificateRequestsTable);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const LEASE_MS = 60_000;
  const take = (everyMs = 0, leaseMs = LEASE_MS) => requests.take(everyMs, leaseMs);

  it('a domain is queued only once, even if it is submitted several times', async () => {
    await requests.offer(['www.example.com']);
    const due = await take();
    expect(due).toEqual({ hostname: 'www.example.com', attempt: 0 });
    if (due) await requests.finish(due);
    await requests.offer(['www.example.com']);
    expect(await take()).toBeNull();
  });

  it('a domain is queued again when it becomes active again', async () => {
    await requests.schedule('www.example.com');
    await requests.finish({ hostname: 'www.example.com', attempt: 0 });
    await requests.schedule('www.example.com');
    expect(await take()).toMatchObject({ hostname: 'www.example.com' });
  });

  it('returns requests one at a time, oldest first', async () => {
    for (const name of ['b', 'a', 'c']) await requests.schedule(`${name}.example.com`);
    const taken: string[] = [];
    for (let due = await take(); due; due = await take()) {
      expect(await take()).toBeNull();
      taken.push(due.hostname);
      await requests.finish(due);
    }
    expect(taken).toEqual(['b.example.com', 'a.example.com', 'c.example.com']);
  });

  it('returns each request to only one of several concurrent processes', async () => {
    await requests.offer(Array.from({ length: 20 }, (_, count) => `${count}.example.com`));
    for (let round = 0; round < 20; round++) {
      const taken = (await Promise.all([take(), take(), take()])).filter((due) => due !== null);
      expect(taken).toHaveLength(1);
      expect(await take()).toBeNull();
      for (const due of taken) await requests.finish(due);
    }
  });

  it('returns requests no faster than the minimum interval', async () => {
    await requests.offer(['a.example.com', 'b.example.com']);
    const due = await take(LEASE_MS);
    if (due) await requests.finish(due);
    expect(await take(LEASE_MS)).toBeNull();
    expect(await take(0)).not.toBeNull();
  });

  it('counts a failed request and returns it again when it is due', async () => {
    await requests.offer(['www.example.com']);
    await requests.again({ hostname: 'www.example.com', attempt: 1 }, LEASE_MS);
    expect(await take()).toBeNull();
    await requests.again({ hostname: 'www.example.com', attempt: 2 }, 0);
    expect(await take()).toEqual({ hostname: 'www.example.com', attempt: 2 });
  });

  it('returns a request again after its lease expires', async () => {
    await requests.offer(['www.example.com']);
    await take(0, 0);
    expect(await take()).toMatchObject({ hostname: 'www.example.com' });
  });

  it('returns no request for a removed domain', async () => {
    await requests.offer(['www.example.com']);
    await requests.remove({ hostname: 'www.example.com', attempt: 0 });
    expect(await take()).toBeNull();
  });
});
