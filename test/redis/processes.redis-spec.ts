import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryRateLimits } from '../../src/edge/memory-rate-limits.engine.js';
import type { Rate } from '../../src/edge/rates.js';
import { RedisRateLimits } from '../../src/edge/redis-rate-limits.engine.js';
import { RedisProcesses } from '../../src/outside/redis/redis-processes.js';
import { RedisServer } from '../support/fleet/redis-server.js';

const rate: Rate = { name: 'test', limit: 3, seconds: 60, per: 'address' };

describe('With Redis', () => {
  const key = randomBytes(32);
  let redis: RedisServer;
  const processes: RedisProcesses[] = [];
  beforeAll(async () => {
    redis = await RedisServer.at();
  });
  beforeEach(() => redis.start());
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.stop()));
    await redis.stop();
  });
  afterAll(() => redis.stop());

  async function joined(heard: (position: bigint) => void = () => undefined) {
    const others = new RedisProcesses(redis.url, heard, () => undefined);
    processes.push(others);
    await others.start();
    while (!(await others.reachable())) await delay(20);
    return { others, limits: new RedisRateLimits(others.client, key, new MemoryRateLimits()) };
  }
  const subscribed = async (count: number) => {
    for (;;) {
      const [, subscribers] = await redis.ask((client) => client.pubsub('NUMSUB', 'stele:reached'));
      if (subscribers === count) return;
      await delay(20);
    }
  };

  it('a process hears how far the log has come, the last position whatever came before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const heard: bigint[] = [];
    const { others } = await joined();
    await joined((position) => {
      heard.push(position);
      if (position === 1_000n) resolve();
    });
    await subscribed(2);
    for (let position = 1n; position <= 1_000n; position++) others.tell(position);
    await promise;
    expect(heard.length).toBeLessThan(1_000);
    expect(heard).toEqual(heard.toSorted((a, b) => Number(a - b)));
  });

  it('telling it while Redis is gone changes nothing, and it is heard again afterwards', async () => {
    const { promise, resolve } = Promise.withResolvers<bigint>();
    const { others } = await joined();
    await joined((position) => position > 7n && resolve(position));
    await redis.stop();
    while (await others.reachable()) await delay(20);
    others.tell(7n);
    await redis.start();
    while (!(await others.reachable())) await delay(20);
    await subscribed(2);
    others.tell(8n);
    expect(await promise).toBe(8n);
  });

  it('a rate has its limit and no more, in all processes together', async () => {
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
    for (const { resetSeconds } of taken) expect([59, 60]).toContain(resetSeconds);
    expect(await one.take(rate, 'b')).toMatchObject({ taken: true, remaining: 2 });
    expect(await one.take({ ...rate, name: 'other' }, 'a')).toMatchObject({ taken: true, remaining: 2 });
  });

  it('a rate has what was given back, also after others found nothing left, and never more than its limit', async () => {
    const { limits } = await joined();
    for (let count = 0; count < 12; count++) await limits.take(rate, 'a');
    expect(await limits.giveBack(rate, 'a')).toMatchObject({ remaining: 1 });
    expect(await limits.take(rate, 'a')).toMatchObject({ taken: true, remaining: 0 });
    expect(await limits.take(rate, 'a')).toMatchObject({ taken: false });
    for (let count = 0; count < 9; count++) await limits.giveBack(rate, 'a');
    expect(await limits.take(rate, 'a')).toMatchObject({ remaining: 2 });
  });

  it('what was counted is forgotten at the window’s end, which giving back does not put off', async () => {
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

  it('that hangs, a rate is not waited for each time', async () => {
    const { limits } = await joined();
    redis.freeze();
    const asked = performance.now();
    for (let count = 0; count < 50; count++) expect(await limits.take(rate, `${count}`)).toMatchObject({ taken: true });
    // Fifty times 0.2 s would be ten.
    expect(performance.now() - asked).toBeLessThan(5_000);
    redis.thaw();
  });
});
