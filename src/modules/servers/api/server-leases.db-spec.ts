import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { createTable } from '../../../storage/tables/table.js';
import type { ServerStanding } from '../../sites/api/server-state.js';
import { LEASE_MS, ServerLeases, serverLeasesTable } from './server-leases.js';

const deploy = (deployId: string, siteId = 'sit_1') => ({
  ...{ deployId, siteId, slug: siteId.replace('_', '-'), digest: 'a'.repeat(64), kind: 'next' as const },
});
const FIRST = deploy('dep_1');
const standing = (state: ServerStanding['state'], reason: string | null = null): ServerStanding => ({
  ...{ state, since: new Date('2026-11-24T12:00:00Z'), reason },
});
const place = (port: number) => ({ host: '10.0.0.1', port });
/**
 * Remaining time that the tests leave a lease: long enough that it does not expire in a slow test, but less than half
 * of `LEASE_MS`.
 */
const SLACK_MS = 5_500;

describe('Server leases', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let leases: ServerLeases;
  beforeEach(async () => {
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    leases = new ServerLeases(pool);
    await createTable(pool, serverLeasesTable);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  /** Moves the deadlines of all leases and workers back by `ms`, as if no worker had reported for that long. */
  const silentFor = async (ms: number) => {
    const earlier = `- interval '${ms} milliseconds'`;
    await pool.query(`update site_servers set leased_until = leased_until ${earlier}`);
    await pool.query(`update server_workers set seen_until = seen_until ${earlier}`);
  };
  const renews = (worker: string, ids: readonly string[], most = 8) =>
    leases.renew(
      { worker, place: place(Number(worker.slice(1))) },
      ids.map((deployId) => ({ deployId, memoryBytes: 1_048_576, uses: 2 })),
      most,
    );
  const runs = async (worker: string, { deployId } = FIRST) => leases.say(worker, deployId, standing('running'), 40);

  it('a lease is given to only one of several workers that request it at the same time', async () => {
    const takes = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((worker) => leases.take(worker, FIRST)));
    expect(takes.filter((isTaken) => isTaken)).toHaveLength(1);
    expect(await leases.find('dep_1')).toMatchObject({ state: 'starting', starts: 1, worker: expect.any(String) });
  });

  it('a lease expires at most half a minute after the worker’s last report, and another worker can take it', async () => {
    expect(LEASE_MS).toBeLessThan(26_000);
    await leases.take('w1', FIRST);
    await runs('w1');
    await silentFor(LEASE_MS - SLACK_MS);
    expect(await leases.take('w2', FIRST)).toBe(false);
    expect(await leases.orphans()).toEqual([]);
    await silentFor(SLACK_MS);
    expect(await leases.orphans()).toMatchObject([{ deployId: 'dep_1', state: 'starting', worker: null }]);
    expect(await leases.take('w2', FIRST)).toBe(true);
    expect(await leases.find('dep_1')).toMatchObject({ worker: 'w2', starts: 2 });
  });

  it('only the worker that holds a lease can renew it, and renewing reports lost leases', async () => {
    await leases.take('w1', FIRST);
    await runs('w1');
    await silentFor(LEASE_MS - SLACK_MS);
    expect(await renews('w2', ['dep_1'])).toEqual({ held: new Set(), toStop: [] });
    expect(await renews('w1', ['dep_1'])).toEqual({ held: new Set(['dep_1']), toStop: [] });
    await silentFor(LEASE_MS - SLACK_MS);
    expect(await leases.find('dep_1')).toMatchObject({
      worker: 'w1',
      state: 'running',
      uses: 2,
      memoryBytes: 1_048_576,
    });
    await silentFor(SLACK_MS);
    await leases.take('w2', FIRST);
    expect((await renews('w1', ['dep_1'])).held.size).toBe(0);
    // A worker can't change a lease held by another worker.
    await leases.say('w1', 'dep_1', standing('crashed', 'no'), null);
    await leases.release('w1', 'dep_1', standing('sleeping'));
    expect(await leases.find('dep_1')).toMatchObject({ worker: 'w2', state: 'starting', reason: null });
  });

  it('a released lease keeps the server’s state, and no worker restarts a sleeping or crashed server', async () => {
    const [second, third] = [deploy('dep_2', 'sit_2'), deploy('dep_3', 'sit_3')];
    for (const each of [FIRST, second, third]) {
      await leases.take('w1', each);
      await runs('w1', each);
    }
    await leases.release('w1', 'dep_1', standing('sleeping'));
    await leases.release('w1', 'dep_2', standing('crashed', 'It ended with exit code 7.'));
    expect(await leases.orphans()).toEqual([]);
    await leases.leave('w1');
    expect((await leases.orphans()).map(({ deployId }) => deployId)).toEqual(['dep_3']);
    expect(await leases.find('dep_2')).toMatchObject({ state: 'crashed', reason: 'It ended with exit code 7.' });
    expect((await leases.list()).map(({ state }) => state)).toEqual(['crashed', 'starting', 'sleeping']);
    expect((await leases.standing()).workers).toBe(0);
  });

  it('chooses the worker that runs the server, then one that runs the same site, then the least loaded one', async () => {
    await renews('w1', ['dep_8', 'dep_9'], 4);
    await renews('w2', [], 4);
    expect(await leases.workerFor(FIRST)).toEqual({ worker: 'w2', place: place(2) });
    await leases.take('w1', FIRST);
    expect((await leases.workerFor(FIRST))?.worker).toBe('w1');
    expect((await leases.workerFor(deploy('dep_2')))?.worker).toBe('w1');
    expect((await leases.workerFor(deploy('dep_3', 'sit_3')))?.worker).toBe('w2');
    await silentFor(LEASE_MS);
    expect(await leases.workerFor(FIRST)).toBeNull();
  });

  it('an operator’s request to stop a server is passed on once, when the lease is renewed', async () => {
    await leases.take('w1', FIRST);
    await runs('w1');
    expect([await leases.askToStop('sit-1'), await leases.askToStop('sit-2')]).toEqual([1, 0]);
    expect((await renews('w1', ['dep_1'])).toStop).toEqual(['dep_1']);
    await leases.release('w1', 'dep_1', standing('sleeping'));
    await leases.take('w1', FIRST);
    expect((await renews('w1', ['dep_1'])).toStop).toEqual([]);
  });

  it('a running server is reported as stranded after half a minute without a worker', async () => {
    const second = deploy('dep_2', 'sit_2');
    for (const [worker, each] of [
      ['w1', FIRST],
      ['w2', second],
    ] as const) {
      await leases.take(worker, each);
      await runs(worker, each);
    }
    await leases.leave('w2');
    await silentFor(20_000);
    expect(await leases.stranded()).toBe(0);
    await silentFor(11_000);
    expect(await leases.stranded()).toBe(1);
    await silentFor(LEASE_MS);
    expect(await leases.stranded()).toBe(2);
    // If no worker has room for the server, the next visitor starts it.
    await leases.letSleep('dep_1');
    expect(await leases.stranded()).toBe(1);
    expect(await leases.find('dep_1')).toMatchObject({ state: 'sleeping', worker: null });
    await leases.take('w1', second);
    await leases.letSleep('dep_2');
    expect(await leases.find('dep_2')).toMatchObject({ state: 'starting', worker: 'w1' });
  });
});
