import { describe, expect, it } from '@jest/globals';
import { sameDigest, toActor } from './command-context.js';

describe('Comparison of digests', () => {
  const digest = 'ab'.repeat(32);
  it('equal digests match', () => expect(sameDigest(digest, 'ab'.repeat(32))).toBe(true));

  it.each([
    ['the first digit', `b${digest.slice(1)}`],
    ['the last digit', `${digest.slice(0, -1)}a`],
    ['their length', digest.slice(0, -1)],
    ['everything', ''],
  ])('digests that differ in %s do not match', (_, other) => {
    expect(sameDigest(digest, other)).toBe(false);
    expect(sameDigest(other, digest)).toBe(false);
  });
});

describe('The actor of an event', () => {
  it('the actor of an anonymous command does not contain the edit token’s hash', () =>
    expect(toActor({ editTokenHash: 'ab'.repeat(32), userId: null })).toEqual({ kind: 'anonymous' }));

  it('the actor contains the ID of a signed-in user', () =>
    expect(toActor({ editTokenHash: null, userId: 'usr_1' })).toEqual({ kind: 'user', id: 'usr_1' }));

  it('the actor contains the connected app that acted, with its user and grant', () => {
    const delegation = {
      kind: 'program' as const,
      id: 'grt_1',
      clientName: 'Claude',
      role: 'editor' as const,
      memberIds: null,
    };
    expect(toActor({ editTokenHash: null, userId: 'usr_bob', delegation })).toEqual({
      kind: 'user',
      id: 'usr_bob',
      client: 'Claude',
      grant: 'grt_1',
    });
  });
});
