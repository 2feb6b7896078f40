import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { refuse } from '../../../kernel/refusal.js';
import { MemoryRateLimits } from './memory-rate-limits.engine.js';
import type { Rate } from './rates.js';
import { takeBytes, takeRate } from './take-rate.js';

const rate: Rate = { name: 'mails', limit: 2, seconds: 900, per: 'email' };

/** Repeats the work `times` times under a limit of two, and returns the outcomes. */
async function doing(times: number, work: () => Promise<unknown>) {
  const limits = new MemoryRateLimits();
  const app = Fastify();
  app.get('/', (_, reply) => takeRate(reply, limits, rate, 'ann', work));
  app.setErrorHandler((error, _, reply) => reply.status(500).send(error instanceof Error ? error.name : ''));
  const answers = [];
  for (let n = 0; n < times; n++) answers.push(await app.inject('/'));
  return answers.map(({ body, headers }) => (headers['retry-after'] === undefined ? body : 'none left'));
}

describe('Work whose rate limit depends on a value in the body', () => {
  it('work is done as often as the limit allows, then refused', async () => {
    expect(await doing(3, async () => 'done')).toEqual(['done', 'done', 'none left']);
  });

  it('work counts towards the limit even if it ends in a client error', async () => {
    const refused = async () => refuse('invalid_request');
    expect(await doing(3, refused)).toEqual(['Refusal', 'Refusal', 'none left']);
  });

  it.each([
    ['StoreUnavailableError', () => Promise.reject(new StoreUnavailableError('away'))],
    ['Refusal', async () => refuse('unavailable')],
    ['Error', () => Promise.reject(new Error('a mistake'))],
  ])('work does not count towards the limit if it ends in a server error, such as %s', async (name, work) => {
    expect(await doing(4, work)).toEqual([name, name, name, name]);
  });
});

describe('A rate limit in bytes', () => {
  it('a byte limit can be used in portions of any size, and refusals say when more is available', async () => {
    const day: Rate = { name: 'events', limit: 1_000, seconds: 86_400, per: 'address' };
    const limits = new MemoryRateLimits();
    const app = Fastify();
    app.get<{ Params: { bytes: string } }>('/:bytes', async ({ params }, reply) => {
      await takeBytes(reply, limits, day, 'ann', Number(params.bytes));
      return 'taken';
    });
    app.setErrorHandler((error, _, reply) => reply.status(429).send(error instanceof Error ? error.message : ''));
    const answers = [];
    for (const bytes of [600, 500, 400, 1]) answers.push(await app.inject(`/${bytes}`));
    expect(answers.map(({ body }) => body === 'taken')).toEqual([true, false, true, false]);
    expect(answers[1]?.body).toContain('The limit is 1,000 bytes per day for each IP address.');
    expect(Number(answers[1]?.headers['retry-after'])).toBeGreaterThan(86_000);
  });
});
