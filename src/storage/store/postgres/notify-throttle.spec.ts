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

  it('are sent with the first batch, and once for all batches within the next two milliseconds', () => {
    expect([throttle.shouldNotify(), throttle.shouldNotify(), throttle.shouldNotify()]).toEqual([true, false, false]);
    jest.advanceTimersByTime(1);
    expect(sent).toBe(0);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('are sent with a batch after two milliseconds, which covers earlier batches', () => {
    throttle.shouldNotify();
    jest.advanceTimersByTime(1.5);
    expect(throttle.shouldNotify()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(throttle.shouldNotify()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(0);
  });

  it('keep the same interval after one was sent without a batch', () => {
    throttle.shouldNotify();
    throttle.shouldNotify();
    jest.advanceTimersByTime(2);
    expect(sent).toBe(1);
    expect(throttle.shouldNotify()).toBe(false);
  });

  it('are sent later if their batch failed', () => {
    throttle.shouldNotify();
    throttle.notifySoon();
    throttle.notifySoon();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('are sent immediately on closing, if one is pending', () => {
    throttle.shouldNotify();
    throttle.close();
    expect(sent).toBe(0);
    throttle.shouldNotify();
    throttle.close();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });
});
