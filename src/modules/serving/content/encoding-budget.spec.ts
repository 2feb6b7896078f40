import { describe, expect, it } from '@jest/globals';
import { EncodingBudget } from './encoding-budget.js';

describe('EncodingBudget', () => {
  let milliseconds = 0;
  const budget = () => new EncodingBudget(100, 10, () => milliseconds);

  it('keeps a separate budget for each site', () => {
    const sites = budget();
    expect([60, 50, 40, 1].map((bytes) => sites.take('a', bytes))).toEqual([true, false, true, false]);
    expect(sites.take('b', 100)).toBe(true);
  });

  it('refills a budget over time, up to its maximum', () => {
    const sites = budget();
    sites.take('a', 100);
    milliseconds += 2_000;
    expect([21, 20, 1].map((bytes) => sites.take('a', bytes))).toEqual([false, true, false]);
    milliseconds += 1_000_000;
    expect([101, 100, 1].map((bytes) => sites.take('a', bytes))).toEqual([false, true, false]);
  });
});
