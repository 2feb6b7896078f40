import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { coalesce } from './coalesce.js';

describe('Coalesced work', () => {
  it('simultaneous calls share one run, and each gets its own result', async () => {
    const runs: number[][] = [];
    const double = coalesce(async (numbers: readonly number[]) => {
      runs.push([...numbers]);
      return (number) => number * 2;
    });
    expect(await Promise.all([double(1), double(2), double(3)])).toEqual([2, 4, 6]);
    expect(runs).toEqual([[1, 2, 3]]);
  });

  it('calls within one turn of the event loop share one run', async () => {
    const runs: number[][] = [];
    const note = coalesce(async (numbers: readonly number[]) => {
      runs.push([...numbers]);
      return (number) => number;
    });
    await Promise.all([1, 2, 3].map((number) => setImmediate().then(() => note(number))));
    expect(runs).toEqual([[1, 2, 3]]);
  });

  it('a run waits for calls in later turns of the event loop, but only up to a limit', async () => {
    const runs: number[] = [];
    const note = coalesce(async (numbers: readonly number[]) => {
      runs.push(numbers.length);
      return (number) => number;
    });
    const under = [note(0)];
    for (let n = 1; n <= 3; n++) {
      await setImmediate();
      under.push(note(n));
    }
    await Promise.all(under);
    expect(runs).toEqual([4]);
    const crowd: Promise<number>[] = [];
    while (runs.length < 2) {
      crowd.push(note(crowd.length));
      await setImmediate();
      if (crowd.length > 1_000) throw new Error('No call is served while more come.');
    }
    await Promise.all(crowd);
  });

  it('calls made after a run has started share the next run', async () => {
    const runs: string[][] = [];
    const began: (() => void)[] = [];
    const ends: (() => void)[] = [];
    const note = coalesce(async (names: readonly string[]) => {
      runs.push([...names]);
      began.shift()?.();
      await new Promise<void>((end) => ends.push(end));
      return (name) => name;
    });
    const run = () => new Promise<void>((begins) => began.push(begins));
    const firstRun = run();
    const first = note('a');
    await firstRun;
    const later = Promise.all([note('b'), note('c')]);
    const secondRun = run();
    ends.shift()?.();
    await first;
    await secondRun;
    expect(runs).toEqual([['a'], ['b', 'c']]);
    ends.shift()?.();
    expect(await later).toEqual(['b', 'c']);
  });

  it('a failed run rejects all of its own calls, but not later calls', async () => {
    let fails = true;
    const work = coalesce(async (_: readonly number[]) => {
      if (fails) throw new Error('no room');
      return (number: number) => number;
    });
    const outcomes = await Promise.allSettled([work(1), work(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await work(3)).toBe(3);
  });
});
