import { describe, expect, it } from '@jest/globals';
import { Body, HotMemory } from './body-cache.js';

describe('Bodies in memory', () => {
  const body = (name: string, size = 1_000) => new Body(name, null, false, Buffer.alloc(size, 'x'));
  /** Room for two of a thousand bytes. */
  const memory = () => new HotMemory(3_200);
  const keptOf = (hot: HotMemory, ...names: string[]) => names.filter((name) => hot.get(name, null));

  it('are found by content and coding', () => {
    const hot = memory();
    const [plain, small] = [body('a'), new Body('a', 'br', true, Buffer.from('b'))];
    hot.put(plain);
    hot.put(small);
    expect([hot.get('a', null), hot.get('a', 'br'), hot.get('a', 'gzip')]).toEqual([plain, small, undefined]);
  });

  it('go in the order they came when there is no more room', () => {
    const hot = memory();
    for (const name of ['a', 'b', 'c']) hot.put(body(name));
    expect(keptOf(hot, 'a', 'b', 'c')).toEqual(['b', 'c']);
    expect(hot.bytes).toBeLessThanOrEqual(3_200);
  });

  it('stay once more when they were sent meanwhile', () => {
    const hot = memory();
    const [a, b, c] = [body('a'), body('b'), body('c')];
    hot.put(a);
    hot.put(b);
    a.wasUsed = true;
    hot.put(c);
    expect(keptOf(hot, 'a', 'b', 'c')).toEqual(['a', 'c']);
    hot.put(b);
    expect(keptOf(hot, 'a', 'b', 'c').length).toBe(2);
  });

  it('never stay beyond the room there is, even when all of them were sent', () => {
    const hot = memory();
    for (let n = 0; n < 50; n++) {
      const next = body(String(n));
      next.wasUsed = true;
      hot.put(next);
      expect(hot.bytes).toBeLessThanOrEqual(3_200);
    }
  });

  it('that are larger than all the room are not kept, and push nothing out', () => {
    const hot = memory();
    hot.put(body('a'));
    hot.put(body('large', 10_000));
    expect(keptOf(hot, 'a', 'large')).toEqual(['a']);
  });

  it('take the place of the same content’s former one', () => {
    const hot = memory();
    hot.put(new Body('a', 'br', true, Buffer.alloc(900)));
    const best = new Body('a', 'br', false, Buffer.alloc(800));
    hot.put(best);
    expect(hot.get('a', 'br')).toBe(best);
    expect(hot.bytes).toBeLessThan(1_400);
  });

  it('are the bytes that were put in, as strings or not', () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    for (const bytes of [every, Buffer.concat(Array.from({ length: 100 }, () => every))]) {
      const kept = new Body('a', null, false, bytes);
      expect(kept.buffer.equals(bytes)).toBe(true);
      expect(kept.length).toBe(bytes.length);
    }
  });
});
