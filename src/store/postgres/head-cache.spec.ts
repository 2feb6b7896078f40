import { describe, expect, it } from '@jest/globals';
import { HeadCache } from './head-cache.js';

const hash = (revision: number) => String(revision).padStart(64, '0');

describe('The last hashes of streams', () => {
  it('are known by stream and revision, and never for another revision', () => {
    const heads = new HeadCache();
    heads.saw('site-a', { revision: 2, hash: hash(2) });
    expect([heads.of('site-a', 2), heads.of('site-a', 1), heads.of('site-b', 2)]).toEqual([
      hash(2),
      undefined,
      undefined,
    ]);
  });

  it('are those of the newest event, in whichever order they were seen', () => {
    const heads = new HeadCache();
    for (const revision of [2, 3, 1]) heads.saw('site-a', { revision, hash: hash(revision) });
    expect([heads.of('site-a', 3), heads.of('site-a', 1)]).toEqual([hash(3), undefined]);
  });

  it('are not kept of streams without a chain', () => {
    const heads = new HeadCache();
    heads.saw('job-a', { revision: 1, hash: null });
    expect(heads.of('job-a', 1)).toBeUndefined();
  });

  it('are kept of the 10,000 streams that were seen last', () => {
    const heads = new HeadCache();
    for (let n = 0; n < 10_001; n++) {
      heads.saw(`site-${n}`, { revision: 1, hash: hash(1) });
      if (n === 5_000) heads.saw('site-0', { revision: 2, hash: hash(2) });
    }
    expect([heads.of('site-0', 2), heads.of('site-1', 1), heads.of('site-2', 1)]).toEqual([
      hash(2),
      undefined,
      hash(1),
    ]);
  });
});
