import type { DomainClaim } from '../domain.state.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * In how many milliseconds a domain is checked again: one that waits at intervals that grow from a minute to six hours,
 * an active one daily, or hourly while its records are gone or not known. A fifth more or less by chance, so that those
 * that were added together are not looked for together. `chance` is from 0 to 1. Null for one that came to its end.
 */
export function nextCheckIn(
  { status, ...claim }: DomainClaim,
  { attempt, isKnown, chance }: { readonly attempt: number; readonly isKnown: boolean; readonly chance: number },
): number | null {
  const jitter = 0.8 + 0.4 * chance;
  if (status === 'pending') return Math.round(Math.min(MINUTE * 1.6 ** attempt, 6 * HOUR) * jitter);
  if (status !== 'active') return null;
  const isSettled = isKnown && 'until' in claim && claim.until === null;
  return Math.round((isSettled ? 24 * HOUR : HOUR) * jitter);
}
