import { describe, expect, it } from '@jest/globals';
import { Body, BodyCache } from './body-cache.js';

describe('BodyCache', () => {
  const body = (name: string, size = 1_000) => new Body(name, null, false, Buffer.alloc(size, 'x'));
  /** A cache with room for two bodies of a thousand bytes. */
  const memory = () => new BodyCache(3_200);
  const keptOf = (hot: BodyCache, ...names: string[]) => names.filter((name) => hot.get(name, null));

  it('finds a body by its content and content coding', () => {
    const hot = memory();
    const [plain, small] = [body('a'), new Body('a', 'br', true, Buffer.from('b'))];
    hot.put(plain);
    hot.put(small);
    expect([hot.get('a', null), hot.get('a', 'br'), hot.get('a', 'gzip')]).toEqual([plain, small, undefined]);
  });

  it('evicts the oldest bodies first when it is full', () => {
    const hot = memory();
    for (const name of ['a', 'b', 'c']) hot.put(body(name));
    expect(keptOf(hot, 'a', 'b', 'c')).toEqual(['b', 'c']);
    expect(hot.bytes).toBeLessThanOrEqual(3_200);
  });

  it('keeps an old body for longer if it was sent in the meantime', () => {
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

  it('never exceeds its capacity, even if every cached body has been used', () => {
    const hot = memory();
    for (let n = 0; n < 50; n++) {
      const next = body(String(n));
      next.wasUsed = true;
      hot.put(next);
      expect(hot.bytes).toBeLessThanOrEqual(3_200);
    }
  });

  it('ignores a body larger than its capacity', () => {
    const hot = memory();
    hot.put(body('a'));
    hot.put(body('large', 10_000));
    expect(keptOf(hot, 'a', 'large')).toEqual(['a']);
  });

  it('replaces an earlier body with the same content and content coding', () => {
    const hot = memory();
    hot.put(new Body('a', 'br', true, Buffer.alloc(900)));
    const best = new Body('a', 'br', false, Buffer.alloc(800));
    hot.put(best);
    expect(hot.get('a', 'br')).toBe(best);
    expect(hot.bytes).toBeLessThan(1_400);
  });

  it('preserves the exact bytes of a body, whether stored as a string or as a buffer', () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    for (const bytes of [every, Buffer.concat(Array.from({ length: 100 }, () => every))]) {
      const kept = new Body('a', null, false, bytes);
      expect(kept.buffer.equals(bytes)).toBe(true);
      expect(kept.length).toBe(bytes.length);
    }
  });
});
