import type { FastifyReply } from 'fastify';
import { Refusal, refuse } from '../../kernel/refusal.js';
import { problems } from '../problems/problem.js';
import type { RateLimits } from './rate-limits.js';
import { byteRateText, rateText } from './rate-text.js';
import type { Rate } from './rates.js';

/**
 * Does the work if there is one left of a rate that is counted by a value in the body; refuses with `rate_limited` if
 * there is none. Gives it back if the work fails by a fault of the server.
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

/** Takes `bytes` of a rate that is counted in bytes; refuses with `rate_limited` if fewer are left. */
export async function takeBytes(
  reply: FastifyReply,
  limits: RateLimits,
  rate: Rate,
  key: string,
  bytes: number,
): Promise<void> {
  await take(reply, limits, rate, key, bytes, byteRateText(rate));
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
