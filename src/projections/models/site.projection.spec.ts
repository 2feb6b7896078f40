import { describe, expect, it } from '@jest/globals';
import { computeModifiedTime } from './site.projection.js';

describe('The modification time of a site', () => {
  it('the modification time is the time of the first deploy, rounded down to seconds', () =>
    expect(computeModifiedTime(null, 5_900)).toBe(5_000));

  it('the modification time is later than every second in which visitors could get the previous content', () => {
    expect(computeModifiedTime(5_000, 9_000)).toBe(10_000);
    expect(computeModifiedTime(5_000, 9_999)).toBe(10_000);
  });

  it('the modification time increases with each change, even if changes are fast or the clock is wrong', () => {
    expect(computeModifiedTime(5_000, 5_900)).toBe(6_000);
    expect(computeModifiedTime(6_000, 5_950)).toBe(7_000);
    expect(computeModifiedTime(7_000, 100)).toBe(8_000);
  });
});
