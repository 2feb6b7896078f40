import { describe, expect, it } from '@jest/globals';
import type { Minute } from './minute.js';
import { compare, isWithin } from './verdict.js';

const minute = (number: number, more: Partial<Minute> = {}): Minute => ({
  number,
  acts: 100,
  faults: [],
  memory: 300,
  descriptors: 80,
  connections: 20,
  tables: number * 1_000,
  largest: [],
  latencies: new Map([['visit', { count: 50, p50: 2, p99: 10 }]]),
  ...more,
});
const run = (of: (number: number) => Partial<Minute>) =>
  compare(Array.from({ length: 20 }, (_, n) => minute(n + 1, of(n + 1))))
    .filter((verdict) => !isWithin(verdict))
    .map(({ what }) => what);

describe('The verdict on the second half of a soak run', () => {
  it('the run passes if only the event log grows, at the same rate as before', () =>
    expect(run(() => ({}))).toEqual([]));

  it.each<[string, (number: number) => Partial<Minute>]>([
    ['memory, MiB', (number) => ({ memory: 300 + number * 10 })],
    ['descriptors', (number) => ({ descriptors: 80 + number * 2 })],
    ['connections', (number) => ({ connections: 20 + number })],
    ['tables, KiB more a minute', (number) => ({ tables: number ** 2 * 500 })],
    ['visit, ms', (number) => ({ latencies: new Map([['visit', { count: 50, p50: number ** 2 * 20, p99: 10 }]]) })],
  ])('the run fails if this figure keeps growing: %s', (what, of) => expect(run(of)).toEqual([what]));

  it('the first minute, in which everything is created, is ignored', () =>
    expect(run((number) => (number === 1 ? { memory: 50, descriptors: 5, connections: 2 } : {}))).toEqual([]));
});
