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
    expect([notifyThrottle.shouldNotify(), notifyThrottle.shouldNotify(), notifyThrottle.shouldNotify()]).toEqual([
      true,
      false,
      false,
    ]);
    jest.advanceTimersByTime(1);
    expect(told).toBe(0);
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });

  it('lets a batch that comes after two milliseconds tell of those before it', () => {
    notifyThrottle.shouldNotify();
    jest.advanceTimersByTime(1.5);
    expect(notifyThrottle.shouldNotify()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(notifyThrottle.shouldNotify()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(told).toBe(0);
  });

  it('counts its own telling as one', () => {
    notifyThrottle.shouldNotify();
    notifyThrottle.shouldNotify();
    jest.advanceTimersByTime(2);
    expect(told).toBe(1);
    expect(notifyThrottle.shouldNotify()).toBe(false);
  });

  it('tells of what a batch that failed should have told', () => {
    notifyThrottle.shouldNotify();
    notifyThrottle.notifySoon();
    notifyThrottle.notifySoon();
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });

  it('does not wait when it is closed, and says nothing when all was told', () => {
    notifyThrottle.shouldNotify();
    notifyThrottle.close();
    expect(told).toBe(0);
    notifyThrottle.shouldNotify();
    notifyThrottle.close();
    jest.advanceTimersByTime(100);
    expect(told).toBe(1);
  });
});
