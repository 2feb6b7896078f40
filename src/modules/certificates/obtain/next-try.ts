const MINUTE = 60_000;

/**
 * Milliseconds until the next attempt to get a certificate. The wait triples from a minute to six hours, so that at
 * most five attempts fall into an hour (Let’s Encrypt, “Authorization Failures”), and varies randomly by up to a fifth.
 * `chance` is from 0 to 1, `attempt` the number of attempts so far.
 */
export const computeRetryDelay = (attempt: number, chance: number): number =>
  Math.min(MINUTE * 3 ** (attempt - 1), 360 * MINUTE) * (0.8 + 0.4 * chance);
