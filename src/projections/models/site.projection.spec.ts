import { describe, expect, it } from '@jest/globals';
import { modifiedAfter } from './site.projection.js';

describe('The modification time of a site', () => {
  it('the time is the second of the first deploy', () => expect(modifiedAfter(null, 5_900)).toBe(5_000));

  it('the time is after every second in which the previous content could be fetched', () => {
    expect(modifiedAfter(5_000, 9_000)).toBe(10_000);
    expect(modifiedAfter(5_000, 9_999)).toBe(10_000);
  });

  it('the time increases with each change, however quick, and whatever the clock', () => {
    expect(modifiedAfter(5_000, 5_900)).toBe(6_000);
    expect(modifiedAfter(6_000, 5_950)).toBe(7_000);
    expect(modifiedAfter(7_000, 100)).toBe(8_000);
  });
});
