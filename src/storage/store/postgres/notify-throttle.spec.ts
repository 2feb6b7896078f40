import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NotifyThrottle } from './notify-throttle.js';

describe('Notifications to other processes', () => {
  let sent = 0;
  let throttle: NotifyThrottle;

  beforeEach(() => {
    jest.useFakeTimers();
    sent = 0;
    throttle = new NotifyThrottle(() => {
      sent++;
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('the first batch sends a notification, and further batches within two milliseconds share one', () => {
    expect([throttle.shouldNotify(), throttle.shouldNotify(), throttle.shouldNotify()]).toEqual([true, false, false]);
    jest.advanceTimersByTime(1);
    expect(sent).toBe(0);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('a notification sent after two milliseconds also covers the earlier batches', () => {
    throttle.shouldNotify();
    jest.advanceTimersByTime(1.5);
    expect(throttle.shouldNotify()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(throttle.shouldNotify()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(0);
  });

  it('a delayed notification starts a new interval of two milliseconds', () => {
    throttle.shouldNotify();
    throttle.shouldNotify();
    jest.advanceTimersByTime(2);
    expect(sent).toBe(1);
    expect(throttle.shouldNotify()).toBe(false);
  });

  it('if a batch fails, its notification is sent later', () => {
    throttle.shouldNotify();
    throttle.notifySoon();
    throttle.notifySoon();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('a pending notification is sent immediately when the throttle is closed', () => {
    throttle.shouldNotify();
    throttle.close();
    expect(sent).toBe(0);
    throttle.shouldNotify();
    throttle.close();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });
});
