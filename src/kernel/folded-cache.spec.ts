import { describe, expect, it } from '@jest/globals';
import type { Fold } from './decider.js';
import { FoldedCache } from './folded-cache.js';

const count: Fold<number, { type: 'Counted'; data: null }> = {
  name: 'count',
  version: 1,
  initial: 0,
  evolve: (n) => n + 1,
};
const other = { ...count, name: 'other' };

const at = (revision: number, state = revision) => ({ state, head: { revision, hash: null } });

describe('The cache of folded states', () => {
  it('returns the most recent state', () => {
    const cache = new FoldedCache(1_000);
    cache.set('a', count, at(1));
    cache.set('a', count, at(2));
    expect(cache.get('a', count)).toEqual(at(2));
    expect(cache.get('b', count)).toBeUndefined();
  });

  it('keeps different folds of the same stream apart', () => {
    const cache = new FoldedCache(1_000);
    cache.set('a', count, at(1));
    cache.set('a', other, at(1, 7));
    expect(cache.get('a', count)?.state).toBe(1);
    expect(cache.get('a', other)?.state).toBe(7);
  });

  it('evicts the least recently used states when its capacity is exceeded', () => {
    const cache = new FoldedCache(100);
    cache.set('a', count, at(20));
    cache.set('b', count, at(20));
    cache.set('c', count, at(20));
    cache.get('a', count);
    cache.set('d', count, at(20));
    const kept = ['a', 'b', 'c', 'd'].filter((stream) => cache.get(stream, count));
    expect(kept).toEqual(['a', 'c', 'd']);
  });

  it('measures size in events, so one long history evicts several short ones', () => {
    const cache = new FoldedCache(100);
    for (const stream of ['a', 'b', 'c', 'd']) cache.set(stream, count, at(10));
    cache.set('long', count, at(60));
    const kept = ['a', 'b', 'c', 'd', 'long'].filter((stream) => cache.get(stream, count));
    expect(kept).toEqual(['d', 'long']);
  });

  it('counts a state once even if it is set again', () => {
    const cache = new FoldedCache(100);
    cache.set('a', count, at(20));
    for (let time = 0; time < 50; time++) cache.set('b', count, at(20));
    expect(cache.get('a', count)).toBeDefined();
  });

  it('does not keep a state that exceeds its capacity', () => {
    const cache = new FoldedCache(100);
    cache.set('huge', count, at(1_000));
    expect(cache.get('huge', count)).toBeUndefined();
    cache.set('a', count, at(1));
    expect(cache.get('a', count)).toBeDefined();
  });
});
