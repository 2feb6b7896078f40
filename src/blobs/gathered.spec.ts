import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { gathered } from './gathered.js';

describe('Work for many callers', () => {
  it('is done at once for calls made in the same breath, and each gets its own answer', async () => {
    const runs: number[][] = [];
    const double = gathered(async (numbers: readonly number[]) => {
      runs.push([...numbers]);
      return (number) => number * 2;
    });
    expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6]);
    expect(runs).toEqual([[1, 2, 3]]);
  });

  it('does not cover calls made after it began: they go together in the next run', async () => {
    const runs: string[][] = [];
    const ends: (() => void)[] = [];
    const note = gathered(async (names: readonly string[]) => {
      runs.push([...names]);
      await new Promise<void>((end) => ends.push(end));
      return (name) => name;
    });
    const first = note('a');
    await setImmediate();
    const later = Promise.all([note('b'), note('c')]);
    await setImmediate();
    expect(runs).toEqual([['a']]);
    ends.shift()?.();
    await first;
    await setImmediate();
    expect(runs).toEqual([['a'], ['b', 'c']]);
    ends.shift()?.();
    expect(await later).toEqual(['b', 'c']);
  });

  it('fails for the callers of the run that failed, and for nobody after them', async () => {
    let fails = true;
    const work = gathered(async (_: readonly number[]) => {
      if (fails) throw new Error('no room');
      return (number: number) => number;
    });
    const outcomes = await Promise.allSettled([work(1), work(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await work(3)).toBe(3);
  });
});
