import { describe, expect, it } from '@jest/globals';
import { SharedWork } from './shared-work.js';

describe('SharedWork', () => {
  it('shares one run of the work between simultaneous callers, and starts another for a later caller', async () => {
    let done = 0;
    const shared = new SharedWork<number>();
    const ask = () => shared.of('a', async () => ++done);
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    expect(await ask()).toBe(2);
  });

  it('runs the work of different keys separately', async () => {
    const shared = new SharedWork<string>();
    const ask = (key: string) => shared.of(key, async () => key);
    expect(await Promise.all([ask('a'), ask('b')])).toEqual(['a', 'b']);
  });

  it('shares a failure between all callers, and tries again at the next call', async () => {
    const shared = new SharedWork<number>();
    const ask = (work: () => Promise<number>) => shared.of('a', work);
    const fail = () => Promise.reject(new Error('no'));
    const results = await Promise.allSettled([ask(fail), ask(async () => 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask(async () => 1)).toBe(1);
  });
});
