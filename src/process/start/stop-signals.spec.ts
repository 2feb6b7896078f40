import { describe, expect, it } from '@jest/globals';
import { stopRequests } from './stop-signals.js';

describe('Requests to stop', () => {
  /** Sends signals at these times, in milliseconds, and returns the resulting calls. */
  function received(...times: readonly number[]) {
    const calls: string[] = [];
    let now = 0;
    const listener = stopRequests(
      { stop: (signal) => calls.push(signal), hurry: () => calls.push('hurry') },
      () => now,
    );
    for (const time of times) {
      now = time;
      listener('SIGINT');
    }
    return calls;
  }

  it('begins to stop at the first signal', () => expect(received(5)).toEqual(['SIGINT']));

  it('takes a signal that npm passes on for the same request', () => expect(received(5, 8, 900)).toEqual(['SIGINT']));

  it('hurries when a signal follows a second later or more', () =>
    expect(received(5, 8, 1_005)).toEqual(['SIGINT', 'hurry']));

  it('hurries when an impatient person keeps pressing Ctrl-C', () =>
    expect(received(0, 300, 600, 900, 1_200)).toEqual(['SIGINT', 'hurry']));

  it('hurries only once', () => expect(received(0, 2_000, 2_001, 9_000)).toEqual(['SIGINT', 'hurry']));
});
