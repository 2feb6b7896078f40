import { describe, expect, it } from '@jest/globals';
import { Restarts } from './restarts.js';

describe('Restarts after crashes', () => {
  const crashed = (crashes: number) => {
    const restarts = new Restarts();
    for (let n = 0; n < crashes; n++) restarts.crashed();
    return restarts;
  };

  it('the delay before a restart increases with each crash, and visitors do not wait for a long delay', () => {
    expect(crashed(0).pause).toBeLessThanOrEqual(0);
    expect([1, 2, 3, 4].map((crashes) => crashed(crashes).isLeftAlone)).toEqual([false, false, false, true]);
    expect(crashed(2).pause).toBeGreaterThan(crashed(1).pause);
  });

  it('restarts stop after more than eight consecutive crashes', () => {
    expect([crashed(8).isGivenUp, crashed(9).isGivenUp]).toEqual([false, true]);
  });

  it('crashes are counted from zero again once the server has run for a minute', () => {
    const restarts = crashed(5);
    restarts.ranFor(59_999);
    expect(restarts.isFirst).toBe(false);
    restarts.ranFor(60_000);
    restarts.crashed();
    expect([restarts.isFirst, restarts.isLeftAlone]).toEqual([true, false]);
  });
});
