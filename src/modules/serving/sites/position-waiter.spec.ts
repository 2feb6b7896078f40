import { describe, expect, it } from '@jest/globals';
import { PositionWaiter } from './position-waiter.js';

describe('PositionWaiter', () => {
  const LONG = 60_000;

  it('resolves immediately for a position that was already passed', async () => {
    const waiter = new PositionWaiter();
    waiter.pass(3n);
    await waiter.wait(3n, LONG);
    await waiter.wait(0n, LONG);
    expect(waiter.position).toBe(3n);
  });

  it('resolves each caller’s promise once the position it is waiting for is reached', async () => {
    const waiter = new PositionWaiter();
    const ended: bigint[] = [];
    const waits = [1n, 2n, 3n].map((position) => waiter.wait(position, LONG).then(() => ended.push(position)));
    waiter.pass(2n);
    await Promise.all(waits.slice(0, 2));
    expect(ended).toEqual([1n, 2n]);
    waiter.pass(3n);
    await Promise.all(waits);
    expect(ended).toEqual([1n, 2n, 3n]);
  });

  it('resolves after the time limit', async () => {
    const waiter = new PositionWaiter();
    const started = performance.now();
    await waiter.wait(1n, 30);
    expect(performance.now() - started).toBeGreaterThanOrEqual(28);
    expect(waiter.position).toBe(0n);
  });

  it('keeps no state for a caller once the wait has ended', async () => {
    const waiter = new PositionWaiter();
    const waits = [1n, 999n].map((position) => waiter.wait(position, 5));
    expect(waiter.waiting).toBe(2);
    waiter.pass(1n);
    await Promise.all(waits);
    expect(waiter.waiting).toBe(0);
  });

  it('never moves to a lower position', () => {
    const waiter = new PositionWaiter();
    waiter.pass(5n);
    waiter.pass(4n);
    expect(waiter.position).toBe(5n);
  });
});
