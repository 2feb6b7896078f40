import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GivenPositions } from './given-positions.js';

/** A log whose reads resolve when the test decides. */
class ReadLater {
  readonly readings: ((end: bigint) => void)[] = [];
  read = () => new Promise<bigint>((resolve) => this.readings.push(resolve));
}

const settled = () => new Promise(setImmediate);

describe('A log position that a caller sends', () => {
  // A read fails after two seconds. With fake timers, this does not happen on a slow machine.
  beforeEach(
    () => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }),
  );
  afterEach(() => void jest.useRealTimers());

  it('a caller’s position beyond the end of the log is reduced to the end', async () => {
    const positions = new GivenPositions(async () => 7n);
    expect(await Promise.all([3n, 7n, 8n, 999_999_999_999n].map((each) => positions.upToEnd(each)))).toEqual([
      3n,
      7n,
      7n,
      7n,
    ]);
  });

  it('a caller’s position before a known end of the log is accepted without reading the log', async () => {
    let readings = 0;
    const positions = new GivenPositions(async () => BigInt(++readings * 10));
    expect([await positions.upToEnd(10n), await positions.upToEnd(9n), readings]).toEqual([10n, 9n, 1]);
    expect([await positions.upToEnd(15n), readings]).toEqual([15n, 2]);
  });

  it('concurrent requests share one read of the log, which begins after they arrived', async () => {
    const log = new ReadLater();
    const positions = new GivenPositions(log.read);
    const first = positions.upToEnd(5n);
    await settled();
    // The read in progress may have begun before the event at position 5 was appended, so these calls need a new read.
    const others = Promise.all(Array.from({ length: 100 }, () => positions.upToEnd(5n)));
    await settled();
    expect(log.readings).toHaveLength(1);
    log.readings[0]?.(4n);
    expect(await first).toBe(4n);
    await settled();
    expect(log.readings).toHaveLength(2);
    log.readings[1]?.(5n);
    expect(new Set(await others)).toEqual(new Set([5n]));
  });

  it('a caller’s position becomes 0 if the log cannot be read, and is checked again on the next request', async () => {
    let isAway = true;
    const positions = new GivenPositions(async () => {
      if (isAway) throw new Error('away');
      return 7n;
    });
    expect(await positions.upToEnd(5n)).toBe(0n);
    isAway = false;
    expect(await positions.upToEnd(5n)).toBe(5n);
  });
});
