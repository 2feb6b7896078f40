import type { FastifyReply } from 'fastify';
import { refuse } from '../kernel/refusal.js';
import type { RateLimits } from './rate-limits.js';
import type { Rate } from './rates.js';

/** Takes one of a rate that is counted by what stands in the body; refuses with `rate_limited` when none is left. */
export async function takeRate(reply: FastifyReply, limits: RateLimits, rate: Rate, key: string): Promise<void> {
  const { taken, resetSeconds } = await limits.take(rate, key);
  if (taken) return;
  void reply.header('retry-after', String(resetSeconds));
  refuse('rate_limited', `${rate.limit} in ${rate.seconds / 60} minutes for one ${rate.per} are used up.`);
}
