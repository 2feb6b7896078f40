import { describe, expect, it } from '@jest/globals';
import { Remembered } from './generational-cache.js';

describe('What is remembered', () => {
  it('is there again, and the newest of it', () => {
    const map = new Remembered<number>(2);
    map.set('a', 1);
    map.set('a', 2);
    expect([map.get('a'), map.get('b')]).toEqual([2, undefined]);
  });

  it('is forgotten when twice as much came after it, unless it was asked for', () => {
    const map = new Remembered<number>(10);
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
});
