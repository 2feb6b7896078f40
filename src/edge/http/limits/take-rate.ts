import type { FastifyReply } from 'fastify';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { problems } from '../problems/problem.js';
import type { RateLimits } from './rate-limits.js';
import { byteRateText, rateText } from './rate-text.js';
import type { Rate } from './rates.js';

/**
 * Performs work under a rate limit that depends on the request’s body. Refuses with `rate_limited` if the limit has
 * been reached. Does not count work that ends with a server error.
 */
export async function takeRate<Done>(
  reply: FastifyReply,
  limits: RateLimits,
  rate: Rate,
  key: string,
  work: () => Promise<Done>,
): Promise<Done> {
  await take(reply, limits, rate, key, 1, rateText(rate));
  try {
    return await work();
  } catch (error) {
    const isCallersFault = error instanceof Refusal && problems[error.code].status < 500;
    if (!isCallersFault) await limits.giveBack(rate, key);
    throw error;
  }
}

/** Counts `bytes` against a rate limit in bytes. Refuses with `rate_limited` if fewer are left. */
export async function takeBytes(
  reply: FastifyReply,
  limits: RateLimits,
  rate: Rate,
  key: string,
  bytes: number,
): Promise<void> {
  await take(reply, limits, rate, key, bytes, byteRateText(rate));
}

/**
 * Minimum number of bytes that are counted at once. Without it, a body in tiny chunks would access the counter for each
 * chunk.
 */
const MIN_BYTES = 1_024;

/**
 * Returns a function that counts a body against a rate limit in bytes as it arrives. The function is called with the
 * total number of bytes so far, first with the announced size: a body that is too large is then refused with
 * `rate_limited` before it is read.
 */
export function chargeBytes(reply: FastifyReply, limits: RateLimits, rate: Rate, key: string) {
  let taken = 0;
  return async (totalBytes: number): Promise<void> => {
    if (totalBytes <= taken) return;
    const bytes = Math.max(totalBytes - taken, MIN_BYTES);
    await takeBytes(reply, limits, rate, key, bytes);
    taken += bytes;
  };
}

async function take(
  reply: FastifyReply,
  limits: RateLimits,
  rate: Rate,
  key: string,
  amount: number,
  detail: string,
): Promise<void> {
  const { taken, resetSeconds } = await limits.take(rate, key, amount);
  if (taken) return;
  void reply.header('retry-after', String(resetSeconds));
  refuse('rate_limited', detail);
}
