import { describe, expect, it } from '@jest/globals';
import { HeadCache } from './head-cache.js';

const hash = (revision: number) => String(revision).padStart(64, '0');

describe('The cache of streams’ latest revisions and hashes', () => {
  it('returns a hash only for the stream and revision to which it belongs', () => {
    const heads = new HeadCache();
    heads.set('site-a', { revision: 2, hash: hash(2) });
    expect([heads.hashAt('site-a', 2), heads.hashAt('site-a', 1), heads.hashAt('site-b', 2)]).toEqual([
      hash(2),
      undefined,
      undefined,
    ]);
  });

  it('keeps the newest head of a stream, regardless of the order in which heads are added', () => {
    const heads = new HeadCache();
    for (const revision of [2, 3, 1]) heads.set('site-a', { revision, hash: hash(revision) });
    expect([heads.hashAt('site-a', 3), heads.hashAt('site-a', 1)]).toEqual([hash(3), undefined]);
  });

  it('ignores streams without a hash chain', () => {
    const heads = new HeadCache();
    heads.set('job-a', { revision: 1, hash: null });
    expect(heads.hashAt('job-a', 1)).toBeUndefined();
  });

  it('keeps only the 10,000 most recently added streams', () => {
    const heads = new HeadCache();
    for (let n = 0; n < 10_001; n++) {
      heads.set(`site-${n}`, { revision: 1, hash: hash(1) });
      if (n === 5_000) heads.set('site-0', { revision: 2, hash: hash(2) });
    }
    expect([heads.hashAt('site-0', 2), heads.hashAt('site-1', 1), heads.hashAt('site-2', 1)]).toEqual([
      hash(2),
      undefined,
      hash(1),
    ]);
  });
});
