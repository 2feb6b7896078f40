const LEAST_MS = 5_000;
const USUAL_MS = 30_000;
const MAX_TIME_SHARE = 1 / 3;

/**
 * Returns the pause after a roll-up: twenty times its duration, but between five and thirty seconds, so that figures
 * are at most a minute old. The pause is longer if roll-ups would otherwise take more than a third of the time.
 */
export function computePause(tookMs: number): number {
  const usual = Math.min(USUAL_MS, Math.max(LEAST_MS, 20 * tookMs));
  return Math.max(usual, tookMs * (1 / MAX_TIME_SHARE - 1));
}
