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

describe('The cache of states folded from streams', () => {
  it('returns a stream’s most recent state', () => {
    const cache = new FoldedCache(1_000);
    cache.set('a', count, at(1));
    cache.set('a', count, at(2));
    expect(cache.get('a', count)).toEqual(at(2));
    expect(cache.get('b', count)).toBeUndefined();
  });

  it('keeps the results of different folds of one stream separately', () => {
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

  it('measures size in events, so the state of one long stream evicts those of several short ones', () => {
    const cache = new FoldedCache(100);
    for (const stream of ['a', 'b', 'c', 'd']) cache.set(stream, count, at(10));
    cache.set('long', count, at(60));
    const kept = ['a', 'b', 'c', 'd', 'long'].filter((stream) => cache.get(stream, count));
    expect(kept).toEqual(['d', 'long']);
  });

  it('counts a state’s size once, even if the state is set again', () => {
    const cache = new FoldedCache(100);
    cache.set('a', count, at(20));
    for (let time = 0; time < 50; time++) cache.set('b', count, at(20));
    expect(cache.get('a', count)).toBeDefined();
  });

  it('does not keep a state that is larger than the cache', () => {
    const cache = new FoldedCache(100);
    cache.set('huge', count, at(1_000));
    expect(cache.get('huge', count)).toBeUndefined();
    cache.set('a', count, at(1));
    expect(cache.get('a', count)).toBeDefined();
  });
});
