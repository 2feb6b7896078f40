import type { DomainClaim } from '../domain.state.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Returns the delay until the next check of a domain, in milliseconds: from a minute up to six hours for a pending
 * claim, a day for an active claim, an hour while its records are missing or unknown, and null for an ended claim.
 * Delays vary by up to a fifth, so that domains added together are checked at different times. `chance` is a random
 * number between 0 and 1.
 */
export function computeCheckDelay(
  { status, ...claim }: DomainClaim,
  { attempt, isKnown, chance }: { readonly attempt: number; readonly isKnown: boolean; readonly chance: number },
): number | null {
  const jitter = 0.8 + 0.4 * chance;
  if (status === 'pending') return Math.round(Math.min(MINUTE * 1.6 ** attempt, 6 * HOUR) * jitter);
  if (status !== 'active') return null;
  const isSettled = isKnown && 'until' in claim && claim.until === null;
  return Math.round((isSettled ? 24 * HOUR : HOUR) * jitter);
}
