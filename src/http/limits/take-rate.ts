import type { FastifyReply } from 'fastify';
import { Refusal, refuse } from '../../kernel/refusal.js';
import { problems } from '../problems/problem.js';
import type { RateLimits } from './rate-limits.js';
import type { Rate } from './rates.js';

/**
 * Takes one of a rate that is counted by what stands in the body, and does the work; refuses with `rate_limited` when
 * none is left. It is given back when the work fails by a fault of ours: whoever is told to come back may.
 */
export async function takeRate<Done>(
  reply: FastifyReply,
  limits: RateLimits,
  rate: Rate,
  key: string,
  work: () => Promise<Done>,
): Promise<Done> {
  const { taken, resetSeconds } = await limits.take(rate, key);
  if (!taken) {
    void reply.header('retry-after', String(resetSeconds));
    refuse('rate_limited', `${rate.limit} in ${rate.seconds / 60} minutes for one ${rate.per} are used up.`);
  }
  try {
    return await work();
  } catch (error) {
    const isCallers = error instanceof Refusal && problems[error.code].status < 500;
    if (!isCallers) await limits.giveBack(rate, key);
    throw error;
  }
}
