import type { DomainClaim } from '../domain.state.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Returns the delay in milliseconds until the next check of a domain, or null for an ended claim. A pending claim is
 * checked at intervals that grow from a minute to six hours. An active claim is checked once a day, or once an hour
 * while its records are missing or unknown. Delays vary by up to a fifth, so that domains added together are checked at
 * different times. `chance` is a random number between 0 and 1.
 */
export function computeCheckDelay(
  { status, ...claim }: DomainClaim,
  { attempt, isKnown, chance }: { readonly attempt: number; readonly isKnown: boolean; readonly chance: number },
): number | null {
  const jitter = 0.8 + 0.4 * chance;
  if (status === 'pending') return Math.round(Math.min(MINUTE_MS * 1.6 ** attempt, 6 * HOUR_MS) * jitter);
  if (status !== 'active') return null;
  const isSettled = isKnown && 'until' in claim && claim.until === null;
  return Math.round((isSettled ? 24 * HOUR_MS : HOUR_MS) * jitter);
}
