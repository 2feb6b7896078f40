import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { hashSecret, makeSecret } from '../auth/secrets.js';
import { ProbeToken } from '../auth/strategies/probe-token.js';
import { ClientAddress } from './client-address.js';
import type { Idempotency } from './idempotency.js';
import { installRateLimits } from './limit-rates.js';
import { MemoryRateLimits } from './memory-rate-limits.engine.js';
import type { Rate } from './rates.js';

const rate: Rate = { name: 'redeploys', limit: 2, seconds: 3_600, per: 'site' };

describe("A route's rate limit", () => {
  const probe = new ProbeToken(Buffer.alloc(32, 7));
  let service: FastifyInstance;

  beforeEach(() => {
    service = fastify();
    service.decorateRequest('session', null);
    service.decorateRequest('editTokenHash', null);
    service.addHook('onRequest', async (request) => {
      const token = request.headers['x-svc-edit-token'];
      request.editTokenHash = typeof token === 'string' ? hashSecret(token) : null;
    });
    const idempotency: Pick<Idempotency, 'isAnswered'> = { isAnswered: async () => false };
    installRateLimits(service, new MemoryRateLimits(), new ClientAddress([]), idempotency as Idempotency, probe);
    service.get('/', { config: { rate } }, async () => 'done');
  });
  afterEach(() => service.close());

  const asked = async (token: string, times: number) => {
    const answers = [];
    for (let time = 0; time < times; time++)
      answers.push(await service.inject({ url: '/?slug=status', headers: { 'x-svc-edit-token': token } }));
    return answers;
  };
  const statuses = async (token: string, times: number) =>
    (await asked(token, times)).map(({ statusCode }) => statusCode >= 400);

  it('refuses a caller who sends too many requests', async () =>
    expect(await statuses(makeSecret('edit'), 3)).toEqual([false, false, true]));

  it('counts all requests except the service’s own health checks', async () => {
    expect(await statuses(probe.token, 4)).toEqual([false, false, false, false]);
    const [{ headers } = { headers: {} }] = await asked(probe.token, 1);
    expect(headers).not.toHaveProperty('ratelimit');
    expect(await statuses(new ProbeToken(Buffer.alloc(32, 8)).token, 3)).toEqual([false, false, true]);
  });
});
