import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { JobQueue, jobQueueTable } from '../../src/modules/jobs/api/job-queue.js';
import { startTable } from '../../src/storage/tables/table.js';
import { freshDatabase } from '../support/database/test-database.js';

describe('The job queue', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let queue: JobQueue;

  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    pool.on('error', () => undefined);
    queue = new JobQueue(pool, 60_000);
    await start(false);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const start = (isAlone: boolean) =>
    startTable(jobQueueTable, { pool, isAlone, signal: new AbortController().signal });

  const wide = { inAll: 100, perOwner: 100 };
  const takeAll = async (limits = wide) => {
    const taken = [];
    for (let n = 0; ; n++) {
      const jobId = await queue.take(`w${n}`, limits);
      if (jobId === null) return taken;
      taken.push(jobId);
    }
  };

  it('the queue alternates between owners, and takes each owner’s oldest job first', async () => {
    for (const job of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await queue.offer(job, job.slice(0, 1));
    expect(await takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('the next job is taken from the owner who was served longest ago', async () => {
    for (const job of ['a1', 'a2', 'b1', 'b2']) await queue.offer(job, job.slice(0, 1));
    const order = [];
    for (let n = 0; n < 4; n++) {
      const jobId = await queue.take('w', wide);
      order.push(jobId);
      await queue.remove(jobId ?? '');
    }
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('the number of running jobs is limited per owner and in total', async () => {
    for (const job of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']) await queue.offer(job, job.slice(0, 1));
    expect(await takeAll({ inAll: 3, perOwner: 2 })).toEqual(['a1', 'b1', 'a2']);
  });

  it('if fifty workers try to take the same job concurrently, exactly one succeeds', async () => {
    await queue.offer('a1', 'a');
    const taken = await Promise.all(Array.from({ length: 50 }, (_, n) => queue.take(`w${n}`, wide)));
    expect(taken.filter((jobId) => jobId !== null)).toEqual(['a1']);
  });

  it('if a worker stops renewing its lease, another worker gets the job and later renewals are refused', async () => {
    const short = new JobQueue(pool, 1);
    await queue.offer('a1', 'a');
    expect(await short.take('one', wide)).toBe('a1');
    let again = null;
    while (again === null) again = await queue.take('two', wide);
    expect(again).toBe('a1');
    expect(await queue.renew('a1', 'one')).toBe(false);
    expect(await queue.renew('a1', 'two')).toBe(true);
    await queue.release('a1', 'one');
    expect(await queue.take('three', wide)).toBeNull();
    await queue.release('a1', 'two');
    expect(await queue.take('three', wide)).toBe('a1');
  });

  it('adding or removing a job a second time has no effect', async () => {
    await queue.offer('a1', 'a');
    await queue.offer('a1', 'b');
    expect(await takeAll()).toEqual(['a1']);
    await queue.remove('a1');
    await queue.remove('a1');
    expect(await queue.take('w', wide)).toBeNull();
  });

  it('a process that starts while no other process is running ends all existing leases', async () => {
    await queue.offer('a1', 'a');
    await queue.take('one', wide);
    await start(true);
    expect(await queue.take('two', wide)).toBe('a1');
  });
});
