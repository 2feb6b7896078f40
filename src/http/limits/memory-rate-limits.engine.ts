import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimits, type Standing } from './rate-limits.js';
import type { Rate } from './rates.js';

/** Limits of this process alone, forgotten when it ends. */
export class MemoryRateLimits extends RateLimits {
  override readonly enforced = true;
  readonly #limiters = new Map<string, RateLimiterMemory>();

  override async take(rate: Rate, key: string): Promise<Standing> {
    const limiter = this.#limiter(rate);
    try {
      return standing(await limiter.consume(key), true);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      // The library counts what it refuses; then what is given back later would be swallowed by it.
      await limiter.reward(key);
      return standing(refused, false);
    }
  }

  override async giveBack(rate: Rate, key: string): Promise<Standing> {
    const limiter = this.#limiter(rate);
    const left = await limiter.reward(key);
    // An empty count is let go: requests that never count, for sites that are not there, leave nothing behind.
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

const standing = ({ remainingPoints, msBeforeNext }: RateLimiterRes, taken: boolean): Standing => ({
  taken,
  remaining: Math.max(0, remainingPoints),
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
