import type { Rate } from './rates.js';

/** What is left of a rate for one caller. */
export type RateStanding = {
  /** Whether there was one left to take. */
  readonly taken: boolean;
  readonly remaining: number;
  /** Seconds until the whole limit is available again; at least 1. */
  readonly resetSeconds: number;
};

/**
 * Counts requests in fixed windows, each of which begins with its first request. Each `take` and `giveBack` is atomic.
 */
export abstract class RateLimits {
  /**
   * False if the operator has switched rate limits off: nothing is counted, and responses have no rate limit headers.
   */
  abstract readonly enforced: boolean;

  /** Takes `amount`, one without it, unless that much is not left. What is refused is not counted. */
  abstract take(rate: Rate, key: string, amount?: number): Promise<RateStanding>;

  /** Gives back one that was taken. After the end of its window this changes nothing. */
  abstract giveBack(rate: Rate, key: string): Promise<RateStanding>;
}

/** Rate limits that are switched off. */
export class NoRateLimits extends RateLimits {
  override readonly enforced = false;
  override take = async (rate: Rate) => ({ taken: true, remaining: rate.limit, resetSeconds: rate.seconds });
  override giveBack = this.take;
}
