import { describe, expect, it } from '@jest/globals';
import { Reached } from './position-waiter.js';

describe('Waiting for a position', () => {
  const LONG = 60_000;

  it('ends at once when it is passed already', async () => {
    const reached = new Reached();
    reached.pass(3n);
    await reached.wait(3n, LONG);
    await reached.wait(0n, LONG);
    expect(reached.position).toBe(3n);
  });

  it('ends for each when its own position is passed, not before', async () => {
    const reached = new Reached();
    const ended: bigint[] = [];
    const waits = [1n, 2n, 3n].map((position) => reached.wait(position, LONG).then(() => ended.push(position)));
    reached.pass(2n);
    await Promise.all(waits.slice(0, 2));
    expect(ended).toEqual([1n, 2n]);
    reached.pass(3n);
    await Promise.all(waits);
    expect(ended).toEqual([1n, 2n, 3n]);
  });

  it('ends when the time is over', async () => {
    const reached = new Reached();
    const started = performance.now();
    await reached.wait(1n, 30);
    expect(performance.now() - started).toBeGreaterThanOrEqual(28);
    expect(reached.position).toBe(0n);
  });

  it('never goes back', () => {
    const reached = new Reached();
    reached.pass(5n);
    reached.pass(4n);
    expect(reached.position).toBe(5n);
  });
});
