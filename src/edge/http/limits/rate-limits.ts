import type { Rate } from './rates.js';

export type RateStanding = {
  /** Whether the requested amount was within the limit and has been counted. */
  readonly taken: boolean;
  readonly remaining: number;
  /** Seconds until the full limit is available again; at least 1. */
  readonly resetSeconds: number;
};

/** Counts requests in fixed windows, which begin with a caller's first request. `take` and `giveBack` are atomic. */
export abstract class RateLimits {
  /** False if the operator has turned rate limits off. Responses then have no rate limit headers. */
  abstract readonly enforced: boolean;

  /** Takes `amount` (1 by default) from the limit, unless less than that is left. Refused requests are not counted. */
  abstract take(rate: Rate, key: string, amount?: number): Promise<RateStanding>;

  /** Gives back one request, as if it had not been made. Has no effect once the window has ended. */
  abstract giveBack(rate: Rate, key: string): Promise<RateStanding>;
}

export class NoRateLimits extends RateLimits {
  override readonly enforced = false;
  override take = async (rate: Rate) => ({ taken: true, remaining: rate.limit, resetSeconds: rate.seconds });
  override giveBack = this.take;
}
