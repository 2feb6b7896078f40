// needs: database, redis

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryRateLimits } from '../../src/edge/http/limits/memory-rate-limits.engine.js';
import type { Rate } from '../../src/edge/http/limits/rates.js';
import { RedisRateLimits } from '../../src/edge/http/limits/redis-rate-limits.engine.js';
import { RedisConnection } from '../../src/storage/cluster/redis-connection.js';
import { RedisServer } from '../support/fleet/redis-server.js';

// Retries failed tests, because counts can be wrong: if this process or Redis stalls for 0.2 s, the simulated processes
// count separately for a second (decision 0044).
jest.retryTimes(4, { logErrorsBeforeRetry: true });

const rate: Rate = { name: 'test', limit: 3, seconds: 60, per: 'address' };

describe('Processes with Redis', () => {
  const key = randomBytes(32);
  let redis: RedisServer;
  const processes: RedisConnection[] = [];
  beforeAll(async () => {
    redis = await RedisServer.at();
  });
  beforeEach(() => redis.start());
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.stop()));
    await redis.stop();
  });
  afterAll(() => redis.stop());

  async function joined() {
    const connection = new RedisConnection(redis.url, () => undefined);
    processes.push(connection);
    await connection.start();
    while (!(await connection.checkReachable())) await delay(20);
    return { connection, limits: new RedisRateLimits(connection.client, key, new MemoryRateLimits()) };
  }

  it('a process notices an outage of Redis, and reconnects afterwards', async () => {
    const { connection } = await joined();
    await redis.stop();
    while (await connection.checkReachable()) await delay(20);
    await redis.start();
    while (!(await connection.checkReachable())) await delay(20);
    expect(await connection.client.ping()).toBe('PONG');
  });

  it('all processes share one rate limit', async () => {
    const [one, two] = [(await joined()).limits, (await joined()).limits];
    const taken = [];
    for (let count = 0; count < 5; count++) taken.push(await (count % 2 ? one : two).take(rate, 'a'));
    expect(taken.map((standing) => [standing.taken, standing.remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ]);
    for (const { resetSeconds } of taken) {
      expect(resetSeconds).toBeGreaterThan(0);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    }
    expect(await one.take(rate, 'b')).toMatchObject({ taken: true, remaining: 2 });
    expect(await one.take({ ...rate, name: 'other' }, 'a')).toMatchObject({ taken: true, remaining: 2 });
  });

  it('giving back a counted request permits one more request, but never more than the rate limit', async () => {
    const { limits } = await joined();
    for (let count = 0; count < 12; count++) await limits.take(rate, 'a');
    expect(await limits.giveBack(rate, 'a')).toMatchObject({ remaining: 1 });
    expect(await limits.take(rate, 'a')).toMatchObject({ taken: true, remaining: 0 });
    expect(await limits.take(rate, 'a')).toMatchObject({ taken: false });
    for (let count = 0; count < 9; count++) await limits.giveBack(rate, 'a');
    expect(await limits.take(rate, 'a')).toMatchObject({ remaining: 2 });
  });

  it('the count of requests expires with its time window, even if requests are given back', async () => {
    const { limits } = await joined();
    await limits.take(rate, 'a');
    await limits.take(rate, 'a');
    const left = () => redis.ask(async (client) => client.pttl((await client.keys('*'))[0] ?? '')).then((ms) => ms);
    const before = await left();
    await limits.giveBack(rate, 'a');
    expect(await left()).toBeLessThanOrEqual(before);
    await limits.giveBack(rate, 'a');
    expect(await redis.ask((client) => client.keys('*'))).toEqual([]);
  });

  it('a hanging Redis does not delay every request', async () => {
    const { limits } = await joined();
    redis.freeze();
    const asked = performance.now();
    for (let count = 0; count < 150; count++)
      expect(await limits.take(rate, `${count}`)).toMatchObject({ taken: true });
    // With a timeout of 0.2 s for each of the 150 calls, this would take twice as long.
    expect(performance.now() - asked).toBeLessThan(15_000);
    redis.thaw();
  });
});
