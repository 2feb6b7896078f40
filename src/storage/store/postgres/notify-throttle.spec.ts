import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NotifyThrottle } from './notify-throttle.js';

describe('The notifications to other processes', () => {
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

  it('go with the first batch, and once for all that follow within two milliseconds', () => {
    expect([throttle.shouldNotify(), throttle.shouldNotify(), throttle.shouldNotify()]).toEqual([true, false, false]);
    jest.advanceTimersByTime(1);
    expect(sent).toBe(0);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('go with a batch that comes after two milliseconds, also for those before it', () => {
    throttle.shouldNotify();
    jest.advanceTimersByTime(1.5);
    expect(throttle.shouldNotify()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(throttle.shouldNotify()).toBe(true);
    jest.advanceTimersByTime(100);
    expect(sent).toBe(0);
  });

  it('are as far apart when one was sent without a batch', () => {
    throttle.shouldNotify();
    throttle.shouldNotify();
    jest.advanceTimersByTime(2);
    expect(sent).toBe(1);
    expect(throttle.shouldNotify()).toBe(false);
  });

  it('are sent later when the batch that had one failed', () => {
    throttle.shouldNotify();
    throttle.notifySoon();
    throttle.notifySoon();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });

  it('are sent at once on closing, if one is due', () => {
    throttle.shouldNotify();
    throttle.close();
    expect(sent).toBe(0);
    throttle.shouldNotify();
    throttle.close();
    jest.advanceTimersByTime(100);
    expect(sent).toBe(1);
  });
});
