import type { Rate } from './rates.js';

/** How much of a rate limit one caller has left. */
export type RateStanding = {
  /** Whether the requested amount was available. */
  readonly taken: boolean;
  readonly remaining: number;
  /** Seconds until the full limit is available again; at least 1. */
  readonly resetSeconds: number;
};

/**
 * Counts requests in fixed windows. A caller's window begins with their first request. `take` and `giveBack` are
 * atomic.
 */
export abstract class RateLimits {
  /**
   * False if the operator has turned rate limits off. Nothing is counted then, and responses have no rate limit
   * headers.
   */
  abstract readonly enforced: boolean;

  /** Takes `amount` (1 by default), unless less than that is left. Refused requests are not counted. */
  abstract take(rate: Rate, key: string, amount?: number): Promise<RateStanding>;

  /** Gives back one request. Has no effect once the window has ended. */
  abstract giveBack(rate: Rate, key: string): Promise<RateStanding>;
}

/** Rate limits that are turned off. */
export class NoRateLimits extends RateLimits {
  override readonly enforced = false;
  override take = async (rate: Rate) => ({ taken: true, remaining: rate.limit, resetSeconds: rate.seconds });
  override giveBack = this.take;
}
