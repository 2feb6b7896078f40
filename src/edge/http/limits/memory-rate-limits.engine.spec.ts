import { describe, expect, it } from '@jest/globals';
import { MemoryRateLimits } from './memory-rate-limits.engine.js';
import type { Rate } from './rates.js';

const rate: Rate = { name: 'test', limit: 3, seconds: 60, per: 'address' };
const other: Rate = { ...rate, name: 'other' };

describe('A rate limit', () => {
  it('allows exactly as many requests as its limit, separately for each key and rate', async () => {
    const limits = new MemoryRateLimits();
    const taken = await Promise.all(Array.from({ length: 5 }, () => limits.take(rate, 'a')));
    expect(taken.map((standing) => [standing.taken, standing.remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ]);
    for (const { resetSeconds } of taken) {
      expect(resetSeconds).toBeGreaterThan(30);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    }
    expect(await limits.take(rate, 'b')).toMatchObject({ taken: true, remaining: 2 });
    expect(await limits.take(other, 'a')).toMatchObject({ taken: true, remaining: 2 });
  });

  it('allows another request after one was given back, even if others were refused in the meantime', async () => {
    const limits = new MemoryRateLimits();
    for (let count = 0; count < 3; count++) await limits.take(rate, 'a');
    for (let count = 0; count < 9; count++) await limits.take(rate, 'a');
    expect(await limits.giveBack(rate, 'a')).toMatchObject({ remaining: 1 });
    expect(await limits.take(rate, 'a')).toMatchObject({ taken: true, remaining: 0 });
    expect(await limits.take(rate, 'a')).toMatchObject({ taken: false });
  });

  it('never allows more than its limit, however many requests are given back', async () => {
    const limits = new MemoryRateLimits();
    await limits.take(rate, 'a');
    await limits.giveBack(rate, 'a');
    await limits.giveBack(rate, 'a');
    expect(await limits.take(rate, 'a')).toMatchObject({ remaining: 2 });
  });
});
