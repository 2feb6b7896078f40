import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NotifyThrottle } from './notify-throttle.js';

describe('The bell that tells other processes', () => {
  let told = 0;
  let notifyThrottle: NotifyThrottle;

  beforeEach(() => {
    jest.useFakeTimers();
    told = 0;
    notifyThrottle = new NotifyThrottle(() => {
      told++;
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('lets the first batch tell of itself, and tells once of all that follow within two milliseconds', () => {
    expect([notifyThrottle.sounds(), notifyThrottle.sounds(), notifyThrottle.sounds()]).toEqual([true, false, false]);
    jest.advanceTimersByTime(1);
    expect(told).toBe(0);
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });

  it('lets a batch that comes after two milliseconds tell of those before it', () => {
    notifyThrottle.sounds();
    jest.advanceTimersByTime(1.5);
    expect(notifyThrottle.sounds()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(notifyThrottle.sounds()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(told).toBe(0);
  });

  it('counts its own telling as one', () => {
    notifyThrottle.sounds();
    notifyThrottle.sounds();
    jest.advanceTimersByTime(2);
    expect(told).toBe(1);
    expect(notifyThrottle.sounds()).toBe(false);
  });

  it('tells of what a batch that failed should have told', () => {
    notifyThrottle.sounds();
    notifyThrottle.later();
    notifyThrottle.later();
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });

  it('does not wait when it is closed, and says nothing when all was told', () => {
    notifyThrottle.sounds();
    notifyThrottle.close();
    expect(told).toBe(0);
    notifyThrottle.sounds();
    notifyThrottle.close();
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });
});
