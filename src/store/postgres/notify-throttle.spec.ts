import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Bell } from './notify-throttle.js';

describe('The bell that tells other processes', () => {
  let told = 0;
  let bell: Bell;

  beforeEach(() => {
    jest.useFakeTimers();
    told = 0;
    bell = new Bell(() => {
      told++;
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('lets the first batch tell of itself, and tells once of all that follow within two milliseconds', () => {
    expect([bell.sounds(), bell.sounds(), bell.sounds()]).toEqual([true, false, false]);
    jest.advanceTimersByTime(1);
    expect(told).toBe(0);
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });

  it('lets a batch that comes after two milliseconds tell of those before it', () => {
    bell.sounds();
    jest.advanceTimersByTime(1.5);
    expect(bell.sounds()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(bell.sounds()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(told).toBe(0);
  });

  it('counts its own telling as one', () => {
    bell.sounds();
    bell.sounds();
    jest.advanceTimersByTime(2);
    expect(told).toBe(1);
    expect(bell.sounds()).toBe(false);
  });

  it('tells of what a batch that failed should have told', () => {
    bell.sounds();
    bell.later();
    bell.later();
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });

  it('does not wait when it is closed, and says nothing when all was told', () => {
    bell.sounds();
    bell.close();
    expect(told).toBe(0);
    bell.sounds();
    bell.close();
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });
});
