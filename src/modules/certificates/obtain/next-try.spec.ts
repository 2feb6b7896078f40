import { describe, expect, it } from '@jest/globals';
import { computeRetryDelay } from './next-try.js';

describe('The delay after a failed certificate request', () => {
  it('the delay after a failed attempt increases from a minute to six hours', () =>
    expect([1, 2, 3, 4, 5, 6, 7, 100].map((attempt) => computeRetryDelay(attempt, 0.5) / 60_000)).toEqual([
      1, 3, 9, 27, 81, 243, 360, 360,
    ]));

  it('the delay after a failed attempt varies randomly', () => {
    expect(computeRetryDelay(1, 0)).toBe(48_000);
    expect(computeRetryDelay(1, 1)).toBeCloseTo(72_000);
  });

  it('the delays allow at most five attempts in the first hour', () => {
    const times = [1, 2, 3, 4, 5].map((attempt) => computeRetryDelay(attempt, 0));
    expect(times.reduce((sum, wait) => sum + wait)).toBeGreaterThan(3_600_000);
  });
});
