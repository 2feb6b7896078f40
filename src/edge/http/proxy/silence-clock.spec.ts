import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SilenceClock } from './silence-clock.js';

describe('The clock that detects silent connections', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const watched = () => ({ isHeard: true, silentTicks: 0, onSilence: jest.fn() });

  it('reports a silent connection at most an eighth of a period late, and again after each further period', () => {
    const clock = new SilenceClock(800);
    const one = watched();
    clock.watch(one);
    jest.advanceTimersByTime(800);
    expect(one.onSilence).not.toHaveBeenCalled();
    jest.advanceTimersByTime(100);
    expect(one.onSilence).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(800);
    expect(one.onSilence).toHaveBeenCalledTimes(2);
  });

  it('restarts the period only for connections that were active', () => {
    const clock = new SilenceClock(800);
    const [heard, silent] = [watched(), watched()];
    clock.watch(heard);
    clock.watch(silent);
    jest.advanceTimersByTime(750);
    heard.isHeard = true;
    jest.advanceTimersByTime(800);
    expect([heard.onSilence.mock.calls.length, silent.onSilence.mock.calls.length]).toEqual([0, 1]);
  });

  it('does not report connections that were removed, and stops its timer when none are left', () => {
    const clock = new SilenceClock(800);
    const one = watched();
    clock.watch(one);
    clock.forget(one);
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(2_000);
    expect(one.onSilence).not.toHaveBeenCalled();
  });
});
