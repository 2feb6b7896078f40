const MINUTE = 60_000;

/**
 * In how many milliseconds a certificate is asked for again that could not be got: three times as long after each try,
 * from a minute to six hours, so that five tries at most are in one hour (Let’s Encrypt, “Authorization Failures”). A
 * fifth more or less by chance, which is from 0 to 1. `attempt` counts the tries so far.
 */
export const nextTryIn = (attempt: number, chance: number): number =>
  Math.min(MINUTE * 3 ** (attempt - 1), 360 * MINUTE) * (0.8 + 0.4 * chance);
