import { describe, expect, it } from '@jest/globals';
import { computePause } from './pause-after-work.js';

describe('The pause after a roll-up', () => {
  it.each([
    ['that found nothing', 4, 5_000],
    ['that was cheap', 500, 10_000],
    ['that took seconds', 5_000, 30_000],
    ['that took half a minute', 30_000, 60_000],
  ])('the pause is proportional to the cost of a roll-up %s', (_, took, rest) => {
    expect(Math.round(computePause(took))).toBe(rest);
  });
});
