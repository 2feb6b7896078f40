import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { catalogue } from '../catalogue.js';
import { tokenEvents } from './token.events.js';

const tokenId = 'tok_01jd4v7h2kpf4s1w8v6y5x3q0n';
const publisherId = 'pub_01jd4v7h2kpf4s1w8v6y5x3q0n';
const memberId = 'mem_01jd4v7h2kpf4s1w8v6y5x3q0n';

describe('Events about tokens and publishers', () => {
  storedEventContract(tokenEvents, {
    AccessTokenIssued: [{ tokenId, memberId, role: 'viewer', expiresAt: '2026-12-24T00:00:00.000Z' }],
    AccessTokenRevoked: [{ tokenId }],
    PublisherTrusted: [{ publisherId, memberId }],
    PublisherRemoved: [{ publisherId }],
    PublisherUsed: [{ publisherId, tokenId, proof: 'ab'.repeat(32), expiresAt: '2026-11-24T10:15:00.000Z' }],
  });

  it.each([
    ['AccessTokenIssued', { tokenId, memberId, role: 'editor', expiresAt: null, name: 'Ann’s laptop' }, /name/],
    ['PublisherTrusted', { publisherId, memberId, claims: { repository: 'ann/site' } }, /claims/],
    ['PublisherUsed', { publisherId, tokenId, proof: 'x', expiresAt: '2026-11-24T10:15:00Z', actor: 'ann' }, /actor/],
  ])('of the type %s contain no text written by users', (type, data, named) =>
    expect(() => catalogue.write(type, data)).toThrow(named),
  );
});
