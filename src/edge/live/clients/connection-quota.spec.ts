import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../../kernel/refusal.js';
import { ConnectionQuota } from './connection-quota.js';

const quota = () => new ConnectionQuota({ address: 2, session: 1, all: 3 });

/** Returns the code and detail of a refusal, or `taken` if nothing was refused. */
function outcome(take: () => unknown) {
  try {
    take();
    return 'taken';
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.detail}`;
    throw error;
  }
}

describe('The quota of live connections', () => {
  it('refuses an address that has reached its limit, but no other address', () => {
    const places = quota();
    places.connection('a');
    places.connection('a');
    expect(outcome(() => places.connection('a'))).toBe(
      'quota_exceeded: An IP address can have at most 2 live connections at the same time.',
    );
    expect(outcome(() => places.connection('b'))).toBe('taken');
  });

  it('refuses every address when the process has reached its limit', () => {
    const places = quota();
    for (const address of ['a', 'b', 'c']) places.connection(address);
    expect(outcome(() => places.connection('d'))).toBe(
      'unavailable: This server has reached its limit of live connections. Try again later.',
    );
  });

  it('counts streams separately from connections', () => {
    const places = quota();
    places.connection('a');
    places.connection('a');
    places.stream('a', null);
    places.stream('a', null);
    expect(outcome(() => places.stream('a', null))).toBe(
      'quota_exceeded: An IP address can have at most 2 live streams at the same time.',
    );
  });

  it('counts the streams of a session across all addresses', () => {
    const places = quota();
    places.stream('a', 'ada');
    expect(outcome(() => places.stream('b', 'ada'))).toBe(
      'quota_exceeded: A caller can have at most 1 live stream at the same time.',
    );
    expect(outcome(() => places.stream('a', 'ben'))).toBe('taken');
  });

  it('counts a streamed response both as a connection and as a stream', () => {
    const places = quota();
    places.connectionWithStream('a', 'ada');
    places.connection('a');
    expect(outcome(() => places.connection('a'))).toMatch(/^quota_exceeded.*connections/);
    places.stream('a', 'ben');
    expect(outcome(() => places.stream('a', null))).toMatch(/^quota_exceeded.*streams/);
  });

  it('frees a place only once, even if it is released twice', () => {
    const places = quota();
    const giveBack = places.connectionWithStream('a', 'ada');
    places.connection('a');
    giveBack();
    giveBack();
    expect(outcome(() => places.connectionWithStream('a', 'ada'))).toBe('taken');
    expect(outcome(() => places.connection('a'))).toMatch(/^quota_exceeded/);
  });

  it('does not count refused connections', () => {
    const places = quota();
    places.stream('a', 'ada');
    for (let n = 0; n < 5; n++) outcome(() => places.connectionWithStream('b', 'ada'));
    expect(outcome(() => places.connectionWithStream('b', null))).toBe('taken');
    expect(outcome(() => places.connectionWithStream('b', null))).toBe('taken');
  });
});
