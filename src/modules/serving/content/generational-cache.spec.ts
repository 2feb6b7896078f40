import { describe, expect, it } from '@jest/globals';
import { GenerationalCache } from './generational-cache.js';

describe('GenerationalCache', () => {
  it('returns the newest value of a key', () => {
    const map = new GenerationalCache<number>(2, () => 1);
    map.set('a', 1);
    map.set('a', 2);
    expect([map.get('a'), map.get('b')]).toEqual([2, undefined]);
  });

  it('evicts a value once twice the capacity has been added, unless the value has been used in the meantime', () => {
    const map = new GenerationalCache<number>(10, () => 1);
    map.set('asked', 1);
    map.set('not asked', 1);
    for (let n = 0; n < 100; n++) {
      map.set(String(n), n);
      map.get('asked');
    }
    expect([map.get('asked'), map.get('not asked')]).toEqual([1, undefined]);
    expect(
      Array.from({ length: 100 }, (_, n) => map.get(String(n))).filter((n) => n !== undefined).length,
    ).toBeLessThan(21);
  });

  it('counts the weight of values towards the capacity, including weight that they gain later', () => {
    const kept = (map: GenerationalCache<number>) => {
      for (let n = 0; n < 100; n++) {
        map.set(String(n), 5);
        map.grow(5);
      }
      return Array.from({ length: 100 }, (_, n) => map.get(String(n))).filter((n) => n !== undefined).length;
    };
    expect(kept(new GenerationalCache<number>(100, (_, weight) => weight))).toBeLessThan(21);
    expect(kept(new GenerationalCache<number>(2_000, (_, weight) => weight))).toBe(100);
  });
});
