import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EXACT, VisitorSketch } from './visitor-sketch.js';

const visitor = (number: number) => hash('sha256', `visitor ${number}`, 'buffer').readBigInt64BE(0);

/** Returns a generator of evenly distributed, distinct hashes that depend only on the seed (splitmix64). */
function hashes(seed: number): () => bigint {
  let state = BigInt(seed) << 40n;
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return BigInt.asIntN(64, mixed ^ (mixed >> 31n));
  };
}

function sketchOf(from: number, to: number): VisitorSketch {
  const sketch = new VisitorSketch();
  for (let number = from; number < to; number++) sketch.add(visitor(number));
  return sketch;
}

const within4percent = (count: number, real: number) => expect(Math.abs(count / real - 1)).toBeLessThan(0.04);

describe('A VisitorSketch', () => {
  it('a sketch is exact up to its limit and counts each visitor once', () => {
    expect(new VisitorSketch().count()).toBe(0);
    const sketch = sketchOf(0, EXACT);
    for (let again = 0; again < 3; again++) for (let n = 0; n < EXACT; n++) sketch.add(visitor(n));
    expect(sketch.count()).toBe(EXACT);
    expect(sketch.toBytes()).toHaveLength(1 + 8 * EXACT);
  });

  it('a 2 KiB sketch has a standard error of 2.3 % for any number of visitors above its exact limit', () => {
    const populations = Array.from({ length: 8 }, (_, n) => ({ next: hashes(n + 1), sketch: new VisitorSketch() }));
    let before = 0;
    for (const size of [EXACT + 1, 2_000, 5_000, 10_000, 20_000]) {
      const errors = populations.map(({ next, sketch }) => {
        for (let n = before; n < size; n++) sketch.add(next());
        return sketch.count() / size - 1;
      });
      before = size;
      expect(Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length)).toBeLessThan(0.03);
      expect(errors.filter((error) => Math.abs(error) < 0.04).length).toBeGreaterThanOrEqual(6);
    }
    expect(populations[0]?.sketch.toBytes()).toHaveLength(1 + 2_048);
  });

  it('a sketch is accurate to within 4 % for a million visitors', () => {
    const next = hashes(1_000);
    const sketch = new VisitorSketch();
    for (let n = 0; n < 1_000_000; n++) sketch.add(next());
    within4percent(sketch.count(), 1_000_000);
  });

  it.each([
    ['two small sketches', 600, 500],
    ['two small sketches that are large together', 1_000, 900],
    ['a small and a large sketch', 100, 20_000],
    ['two large sketches', 30_000, 20_000],
  ])('a sketch has the same result when merged from %s', (_, one, two) => {
    const overlap = 50;
    const all = sketchOf(0, one + two - overlap).toBytes();
    const first = sketchOf(0, one).toBytes();
    const second = sketchOf(one - overlap, one + two - overlap).toBytes();
    expect(new VisitorSketch().merge(first).merge(second).toBytes()).toEqual(all);
    expect(new VisitorSketch().merge(second).merge(first).merge(first).toBytes()).toEqual(all);
  });

  it('a sketch accepts the smallest and largest eight-byte hashes', () => {
    const ends = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const sketch = sketchOf(0, EXACT);
    for (const end of ends) sketch.add(end);
    within4percent(sketch.count(), EXACT + ends.length);
    const small = new VisitorSketch();
    for (const end of ends) small.add(end);
    expect(new VisitorSketch().merge(small.toBytes()).count()).toBe(4);
  });
});
