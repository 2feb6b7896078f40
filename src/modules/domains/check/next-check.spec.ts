import { describe, expect, it } from '@jest/globals';
import type { DomainClaim } from '../domain.state.js';
import { computeCheckDelay } from './next-check.js';

const MINUTE_MS = 60_000;
const settings = { token: 't', redirectTo: null, visibility: null, hsts: false };
const pending: DomainClaim = { ...settings, status: 'pending', until: '2026-11-27T12:00:00.000Z' };
const active: DomainClaim = { ...settings, status: 'active', until: null };
const missed: DomainClaim = { ...active, until: '2026-11-27T12:00:00.000Z' };
const asUsual = { attempt: 0, isKnown: true, chance: 0.5 };

describe('The time until the next check of a domain', () => {
  it('the time until the next check increases from a minute to six hours for a pending domain', () => {
    const minutes = (attempt: number) =>
      Math.round((computeCheckDelay(pending, { ...asUsual, attempt }) ?? 0) / MINUTE_MS);
    expect([0, 1, 2, 5, 10, 12, 13, 1_000].map(minutes)).toEqual([1, 2, 3, 10, 110, 281, 360, 360]);
  });

  it.each([
    ['a day', active, true, 24 * 60],
    ['an hour while its records are missing', missed, true, 60],
    ['an hour while DNS does not respond', active, false, 60],
  ])('the time until the next check of an active domain is %s', (_, claim, isKnown, minutes) =>
    expect(computeCheckDelay(claim, { ...asUsual, isKnown })).toBe(minutes * MINUTE_MS),
  );

  it('the time until the next check varies randomly by up to a fifth', () => {
    expect(computeCheckDelay(pending, { ...asUsual, chance: 0 })).toBe(0.8 * MINUTE_MS);
    expect(computeCheckDelay(pending, { ...asUsual, chance: 1 })).toBeCloseTo(1.2 * MINUTE_MS);
  });

  it.each(['lost', 'failed'] as const)('a %s domain is not checked again', (status) =>
    expect(computeCheckDelay({ ...settings, status }, asUsual)).toBeNull(),
  );
});
