import type { Rate } from './rates.js';

/** The state of a rate for one caller. */
export type RateStanding = {
  /** Whether the requested amount was available. */
  readonly taken: boolean;
  readonly remaining: number;
  /** Seconds until the whole limit is available again; at least 1. */
  readonly resetSeconds: number;
};

/** Counts requests in fixed windows. A window begins with its first request. `take` and `giveBack` are atomic. */
export abstract class RateLimits {
  /** False if the operator has turned rate limits off: nothing is counted, and responses have no rate limit headers. */
  abstract readonly enforced: boolean;

  /** Takes `amount`, by default 1, unless less than that is left. Refused requests are not counted. */
  abstract take(rate: Rate, key: string, amount?: number): Promise<RateStanding>;

  /** Gives back one request. Has no effect after the window has ended. */
  abstract giveBack(rate: Rate, key: string): Promise<RateStanding>;
}

/** Rate limits that are turned off. */
export class NoRateLimits extends RateLimits {
  override readonly enforced = false;
  override take = async (rate: Rate) => ({ taken: true, remaining: rate.limit, resetSeconds: rate.seconds });
  override giveBack = this.take;
}
