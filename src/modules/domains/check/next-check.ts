import type { DomainClaim } from '../domain.state.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Returns the milliseconds until the next check of a domain. A pending claim is checked after a minute, increasing to
 * six hours; an active one after a day, or after an hour while its records are missing or unknown. Varies randomly by
 * up to a fifth, so that domains added together are not checked together. `chance` is between 0 and 1. Returns null for
 * a claim that has ended.
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
