import { describe, expect, it } from '@jest/globals';
import { SharedWork } from './shared-work.js';

describe('Shared work', () => {
  it('is done once for those who ask for it at the same time, and again for those who ask later', async () => {
    let done = 0;
    const shared = new SharedWork<number>();
    const ask = () => shared.of('a', async () => ++done);
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    expect(await ask()).toBe(2);
  });

  it('is done for each key by itself', async () => {
    const shared = new SharedWork<string>();
    const ask = (key: string) => shared.of(key, async () => key);
    expect(await Promise.all([ask('a'), ask('b')])).toEqual(['a', 'b']);
  });

  it('fails for all who asked, and is tried again by the next', async () => {
    const shared = new SharedWork<number>();
    const ask = (work: () => Promise<number>) => shared.of('a', work);
    const fail = () => Promise.reject(new Error('no'));
    const results = await Promise.allSettled([ask(fail), ask(async () => 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask(async () => 1)).toBe(1);
  });
});
