import { describe, expect, it } from '@jest/globals';
import { SharedWork } from './shared-work.js';

describe('SharedWork', () => {
  it('simultaneous callers share one run, and a later caller starts another one', async () => {
    let done = 0;
    const shared = new SharedWork<number>();
    const ask = () => shared.of('a', async () => ++done);
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
    expect(await ask()).toBe(2);
  });

  it('each key has its own work', async () => {
    const shared = new SharedWork<string>();
    const ask = (key: string) => shared.of(key, async () => key);
    expect(await Promise.all([ask('a'), ask('b')])).toEqual(['a', 'b']);
  });

  it('a failure is shared by all callers, and the next call tries again', async () => {
    const shared = new SharedWork<number>();
    const ask = (work: () => Promise<number>) => shared.of('a', work);
    const fail = () => Promise.reject(new Error('no'));
    const results = await Promise.allSettled([ask(fail), ask(async () => 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask(async () => 1)).toBe(1);
  });
});
