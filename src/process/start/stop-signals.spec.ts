import { describe, expect, it } from '@jest/globals';
import { stopRequests } from './stop-signals.js';

describe('stopRequests', () => {
  /** Sends a signal at each of these times, in milliseconds, and returns which handlers were called. */
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

  it('stops at the first signal', () => expect(received(5)).toEqual(['SIGINT']));

  it('a signal forwarded by npm does not count as a second request to stop', () =>
    expect(received(5, 8, 900)).toEqual(['SIGINT']));

  it('hurries the shutdown if another signal arrives at least a second later', () =>
    expect(received(5, 8, 1_005)).toEqual(['SIGINT', 'hurry']));

  it('hurries the shutdown if someone keeps pressing Ctrl-C for more than a second', () =>
    expect(received(0, 300, 600, 900, 1_200)).toEqual(['SIGINT', 'hurry']));

  it('hurries the shutdown only once', () => expect(received(0, 2_000, 2_001, 9_000)).toEqual(['SIGINT', 'hurry']));
});
