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

  it('the first batch notifies, and later ones within two milliseconds share one notification', () => {
    expect([throttle.shouldNotify(), throttle.shouldNotify(), throttle.shouldNotify()]).toEqual([true, false, false]);
    jest.advanceTimersByTime(1);
    expect(sent).toBe(0);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('a batch sent after two milliseconds includes the notification for earlier batches', () => {
    throttle.shouldNotify();
    jest.advanceTimersByTime(1.5);
    expect(throttle.shouldNotify()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(throttle.shouldNotify()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(0);
  });

  it('a notification without a batch does not change the interval', () => {
    throttle.shouldNotify();
    throttle.shouldNotify();
    jest.advanceTimersByTime(2);
    expect(sent).toBe(1);
    expect(throttle.shouldNotify()).toBe(false);
  });

  it('the notification of a failed batch is sent later', () => {
    throttle.shouldNotify();
    throttle.notifySoon();
    throttle.notifySoon();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('close sends a pending notification immediately', () => {
    throttle.shouldNotify();
    throttle.close();
    expect(sent).toBe(0);
    throttle.shouldNotify();
    throttle.close();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });
});
