import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimits, type RateStanding } from './rate-limits.js';
import type { Rate } from './rates.js';

/** Rate limits of this process only. The counts are lost when it exits. */
export class MemoryRateLimits extends RateLimits {
  override readonly enforced = true;
  readonly #limiters = new Map<string, RateLimiterMemory>();

  override async take(rate: Rate, key: string, amount = 1): Promise<RateStanding> {
    const limiter = this.#limiter(rate);
    try {
      return standing(await limiter.consume(key, amount), true);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      // Undo the library’s count of a refused request. Otherwise, a later `giveBack` would have no effect.
      await limiter.reward(key, amount);
      return standing(refused, false);
    }
  }

  override async giveBack(rate: Rate, key: string): Promise<RateStanding> {
    const limiter = this.#limiter(rate);
    const left = await limiter.reward(key);
    // Delete counters that are zero, so that requests exempt from the limit use no memory.
    if (left.consumedPoints <= 0) await limiter.delete(key);
    return standing(left, true);
  }

  #limiter(rate: Rate): RateLimiterMemory {
    const known = this.#limiters.get(rate.name);
    if (known) return known;
    const made = new RateLimiterMemory({ keyPrefix: rate.name, points: rate.limit, duration: rate.seconds });
    this.#limiters.set(rate.name, made);
    return made;
  }
}

const standing = ({ remainingPoints, msBeforeNext }: RateLimiterRes, taken: boolean): RateStanding => ({
  taken,
  remaining: Math.max(0, remainingPoints),
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
