/** Milliseconds: of what is cheap, of what is not, and how much of the time is spent working at most. */
const LEAST_MS = 5_000;
const USUAL_MS = 30_000;
const AT_MOST_OF_TIME = 1 / 3;

/**
 * How long to rest after work that took so long (milliseconds): twenty times as long, at least five seconds and at most
 * thirty, so that figures are fresh within a minute; and where that is too little to keep to a third of the time, longer.
 */
export function restAfter(tookMs: number): number {
  const usual = Math.min(USUAL_MS, Math.max(LEAST_MS, 20 * tookMs));
  return Math.max(usual, tookMs * (1 / AT_MOST_OF_TIME - 1));
}
