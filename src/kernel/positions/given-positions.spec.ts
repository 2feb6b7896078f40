import { describe, expect, it } from '@jest/globals';
import { GivenPositions } from './given-positions.js';

/** The end of a log that is read when a test says so. */
class ReadLater {
  readonly readings: ((end: bigint) => void)[] = [];
  read = () => new Promise<bigint>((resolve) => this.readings.push(resolve));
}

const settled = () => new Promise(setImmediate);

describe('A position that was given out', () => {
  it('is itself, and one beyond the end of the log is that end', async () => {
    const positions = new GivenPositions(async () => 7n);
    expect(await Promise.all([3n, 7n, 8n, 999_999_999_999n].map((each) => positions.upToEnd(each)))).toEqual([
      3n,
      7n,
      7n,
      7n,
    ]);
  });

  it('is known at once where it lies before an end that was seen', async () => {
    let readings = 0;
    const positions = new GivenPositions(async () => BigInt(++readings * 10));
    expect([await positions.upToEnd(10n), await positions.upToEnd(9n), readings]).toEqual([10n, 9n, 1]);
    expect([await positions.upToEnd(15n), readings]).toEqual([15n, 2]);
  });

  it('is looked for after it was asked for, once for all who ask meanwhile', async () => {
    const log = new ReadLater();
    const positions = new GivenPositions(log.read);
    const first = positions.upToEnd(5n);
    await settled();
    // The reading under way may have begun before this one was given out.
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

  it('is none where the log cannot be read, and is looked for again', async () => {
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
