import { describe, expect, it } from '@jest/globals';
import { Restarts } from './restarts.js';

describe('A program that crashes again and again', () => {
  const crashed = (crashes: number) => {
    const restarts = new Restarts();
    for (let n = 0; n < crashes; n++) restarts.crashed();
    return restarts;
  };

  it('is started again after pauses that grow, and is left alone where they are long', () => {
    expect(crashed(0).pause).toBeLessThanOrEqual(0);
    expect([1, 2, 3, 4].map((crashes) => crashed(crashes).isLeftAlone)).toEqual([false, false, false, true]);
    expect(crashed(2).pause).toBeGreaterThan(crashed(1).pause);
  });

  it('is not started by itself after eight in a row', () => {
    expect([crashed(8).isGivenUp, crashed(9).isGivenUp]).toEqual([false, true]);
  });

  it('begins anew once it has run for a minute', () => {
    const restarts = crashed(5);
    restarts.ranFor(59_999);
    expect(restarts.isFirst).toBe(false);
    restarts.ranFor(60_000);
    restarts.crashed();
    expect([restarts.isFirst, restarts.isLeftAlone]).toEqual([true, false]);
  });
});
