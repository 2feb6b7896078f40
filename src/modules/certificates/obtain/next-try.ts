const MINUTE = 60_000;

/**
 * Returns the delay until the next attempt to get a certificate, in milliseconds. It triples from a minute up to six
 * hours, so that at most five attempts are made in an hour (Let's Encrypt, "Authorization Failures"), and varies by up
 * to a fifth. `chance` is a random number between 0 and 1; `attempt` counts attempts so far.
 */
export const computeRetryDelay = (attempt: number, chance: number): number =>
  Math.min(MINUTE * 3 ** (attempt - 1), 360 * MINUTE) * (0.8 + 0.4 * chance);
