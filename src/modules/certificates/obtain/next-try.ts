const MINUTE_MS = 60_000;

/**
 * Returns the delay in milliseconds until the next attempt to get a certificate. The delay triples from a minute up to
 * six hours, so that at most five attempts are made in an hour (Let's Encrypt, "Authorization Failures"). `chance`, a
 * random number from 0 to 1, varies the delay by up to a fifth. `attempt` is the number of attempts so far.
 */
export const computeRetryDelay = (attempt: number, chance: number): number =>
  Math.min(MINUTE_MS * 3 ** (attempt - 1), 360 * MINUTE_MS) * (0.8 + 0.4 * chance);
