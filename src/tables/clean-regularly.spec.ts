import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cleanRegularly } from './clean-regularly.js';

describe('Cleaning', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Cleans once a minute, and fails in the minutes whose answer is false. */
  function cleaning(...minutes: boolean[]) {
    const stopping = new AbortController();
    const reports: unknown[] = [];
    let cleaned = 0;
    const clean = async () => {
      if (minutes[cleaned++] === false) throw new Error(`minute ${cleaned}`);
    };
    cleanRegularly(clean, { everyMs: 60_000, signal: stopping.signal, report: (error) => reports.push(error) });
    return { reports, stop: () => stopping.abort(), cleaned: () => cleaned };
  }

  it('is done again and again until it is told to stop', async () => {
    const { cleaned, stop } = cleaning();
    expect(cleaned()).toBe(0);
    await jest.advanceTimersByTimeAsync(180_000);
    expect(cleaned()).toBe(3);
    stop();
    await jest.advanceTimersByTimeAsync(180_000);
    expect(cleaned()).toBe(3);
  });

  it('says nothing of a failure that the next time makes good', async () => {
    const { reports } = cleaning(true, false, true, false, true);
    await jest.advanceTimersByTimeAsync(300_000);
    expect(reports).toEqual([]);
  });

  it('reports each failure that follows another', async () => {
    const { reports } = cleaning(false, false, false, true, false);
    await jest.advanceTimersByTimeAsync(300_000);
    expect(reports).toEqual([new Error('minute 2'), new Error('minute 3')]);
  });
});
