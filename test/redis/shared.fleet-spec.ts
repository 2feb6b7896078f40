// needs: database, redis

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { waitForOutput } from '../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

// Retries failed tests, because counts can be wrong: if the service or Redis stalls, each process counts separately for
// a second (decision 0044).
jest.retryTimes(4, { logErrorsBeforeRetry: true });

/** Number of `waitlist` requests per hour that one address may send (`src/edge/http/limits/rates.ts`). */
const LIMIT = 20;

describe('Two processes with one Redis', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let redis: RedisServer;
  let one: Stele;
  let two: Stele;
  let visitors = 0;

  beforeAll(async () => {
    temporary = await temporaryFolder('redis');
    database = await freshDatabase();
    redis = await RedisServer.at();
    const env = {
      DATABASE_URL: databaseUrl(database.config),
      REDIS_URL: redis.url,
      STELE_RATE_LIMITS: 'on',
      STELE_TRUSTED_PROXIES: '127.0.0.1',
    };
    // Redis is not running yet. It is started before each test.
    one = await startStele({ folder: temporary.folder, env });
    two = await startStele({ folder: temporary.folder, env });
  }, 60_000);
  beforeEach(() => redis.start());
  afterEach(() => redis.stop());
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await redis?.stop();
    await database?.drop();
    await temporary.remove();
  });

  const anAddress = () => `10.${++visitors >> 16}.${(visitors >> 8) & 255}.${visitors & 255}`;
  const join = (stele: Stele, address: string) =>
    stele.api
      .post('/v1/waitlist')
      .set('x-forwarded-for', address)
      .send({ email: `${address}@example.org` });
  const remaining = ({ headers }: { headers: Record<string, string> }) =>
    Number(/;r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);
  const health = async (stele: Stele) => (await stele.api.get('/health').expect(200)).body;
  async function bothFind(state: 'ok' | 'failing') {
    for (const stele of [one, two]) while ((await health(stele)).checks.redis !== state) await delay(50);
  }

  it('the processes share a rate limit, and keys in Redis contain no addresses', async () => {
    await bothFind('ok');
    expect((await health(one)).status).toBe('ok');
    const address = anAddress();
    for (let count = 0; count < LIMIT; count++) {
      const answer = await join([one, two][count % 2]!, address);
      expect([answer.status < 300, remaining(answer)]).toEqual([true, LIMIT - 1 - count]);
    }
    for (const stele of [one, two]) {
      const { body, headers } = await join(stele, address).expect(429);
      expect(body.code).toBe('rate_limited');
      expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    }
    expect((await join(two, anAddress())).status).toBeLessThan(300);

    const keys = await redis.ask((client) => client.keys('*'));
    expect(keys).toHaveLength(2);
    expect(keys.filter((key) => key.includes('10.'))).toEqual([]);
    expect(await redis.ask((client) => client.ttl(keys[0]!))).toBeGreaterThan(3_500);
  }, 60_000);

  it('concurrent requests to the two processes are counted correctly', async () => {
    await bothFind('ok');
    const address = anAddress();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => join([one, two][n % 2]!, address)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30 - LIMIT);
  }, 60_000);

  it('requests that are cheap to refuse are not counted by either process', async () => {
    await bothFind('ok');
    const address = anAddress();
    const refuse = (stele: Stele) =>
      stele.api.post('/v1/waitlist').set('x-forwarded-for', address).send({ email: 'no address' }).expect(400);
    for (let count = 0; count < LIMIT + 5; count++) await refuse([one, two][count % 2]!);
    expect(remaining(await join(one, address))).toBe(LIMIT - 1);
    await refuse(two);
    expect(remaining(await join(two, address))).toBe(LIMIT - 2);
  }, 60_000);

  it('each process immediately serves sites deployed through the other process, with or without Redis', async () => {
    const shown = async (text: string) => {
      const { body } = await one.api
        .post('/v1/deploy')
        .set('x-forwarded-for', anAddress())
        .type('html')
        .send(text)
        .expect(200);
      expect((await two.visit(body.slug).expect(200)).text).toContain(text);
    };
    await bothFind('ok');
    await shown('with Redis');
    expect(await redis.ask((client) => client.pubsub('CHANNELS'))).toEqual([]);
    await redis.stop();
    await bothFind('failing');
    await shown('without Redis');
  }, 60_000);

  it('during a Redis outage, each process counts requests separately; afterwards they share one count again', async () => {
    await bothFind('ok');
    const address = anAddress();
    await redis.stop();
    await bothFind('failing');
    expect((await health(one)).status).toBe('degraded');
    await one.api.get('/ready').expect(200);
    for (const stele of [one, two]) {
      for (let count = 0; count < LIMIT; count++) expect((await join(stele, address)).status).toBeLessThan(300);
      await join(stele, address).expect(429);
    }
    await redis.start();
    await bothFind('ok');
    expect(remaining(await join(one, address))).toBe(LIMIT - 1);
    expect(remaining(await join(two, address))).toBe(LIMIT - 2);
    await waitForOutput(one.printed, /Redis is not responding[\s\S]*Redis is responding again/);
  }, 60_000);

  it('every request gets a response while Redis stops, starts, hangs and resumes', async () => {
    await bothFind('ok');
    let going = true;
    const statuses = new Map<number, number>();
    let slowest = 0;
    const load = async (stele: Stele) => {
      while (going) {
        const asked = performance.now();
        const { status } = await join(stele, anAddress());
        slowest = Math.max(slowest, performance.now() - asked);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const loading = Promise.all([one, two, one, two].map(load));
    for (let round = 0; round < 3; round++) {
      await redis.stop();
      await bothFind('failing');
      await redis.start();
      await bothFind('ok');
    }
    redis.freeze();
    await bothFind('failing');
    redis.thaw();
    await bothFind('ok');
    going = false;
    await loading;
    expect([...statuses.keys()]).toEqual([(await join(one, anAddress())).status]);
    // Without our timeout, Redis's client library would keep callers waiting for seconds.
    expect(slowest).toBeLessThan(5_000);
  }, 120_000);
});
