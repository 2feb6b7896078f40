import type { Rate } from './rates.js';

/** Where a caller stands with a rate. */
export type Standing = {
  /** False when nothing was left to take. */
  readonly taken: boolean;
  readonly remaining: number;
  /** Until the whole limit is there again; at least 1. */
  readonly resetSeconds: number;
};

/** Counts in fixed windows that begin with the first request. Each `take` and `giveBack` is atomic. */
export abstract class RateLimits {
  /** False when the operator switched limits off: then nothing is counted, and nothing is said of it in answers. */
  abstract readonly enforced: boolean;

  /** Takes one, unless none is left. What finds nothing left does not count. */
  abstract take(rate: Rate, key: string): Promise<Standing>;

  /** Gives back one that was taken; after the window's end this changes nothing. */
  abstract giveBack(rate: Rate, key: string): Promise<Standing>;
}

/** For an operator who wants none. */
export class NoRateLimits extends RateLimits {
  override readonly enforced = false;
  override take = async (rate: Rate) => ({ taken: true, remaining: rate.limit, resetSeconds: rate.seconds });
  override giveBack = this.take;
}
