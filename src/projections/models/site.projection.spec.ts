import { describe, expect, it } from '@jest/globals';
import { computeModifiedTime } from './site.projection.js';

describe('The modification time of a site', () => {
  it('the time is the second of the first deploy', () => expect(computeModifiedTime(null, 5_900)).toBe(5_000));

  it('the time is after every second in which the previous content could be fetched', () => {
    expect(computeModifiedTime(5_000, 9_000)).toBe(10_000);
    expect(computeModifiedTime(5_000, 9_999)).toBe(10_000);
  });

  it('the time increases with each change, however quick, and whatever the clock', () => {
    expect(computeModifiedTime(5_000, 5_900)).toBe(6_000);
    expect(computeModifiedTime(6_000, 5_950)).toBe(7_000);
    expect(computeModifiedTime(7_000, 100)).toBe(8_000);
  });
});
