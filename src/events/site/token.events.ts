import { z } from 'zod';
import type { EventOf } from '../event-type.js';
import { siteEventType } from './site-event-type.js';

/**
 * Credentials of scripts that publish. These events are part of the site's stream and contain only IDs. Users choose
 * the names of tokens and the claims of publishers, so those are stored in tables from which they can be deleted.
 */
const token = { tokenId: z.string() };
const publisher = { publisherId: z.string() };

const exampleToken = { tokenId: 'tok_01jd4v7h2kpf4s1w8v6y5x3q0n' };
const examplePublisher = { publisherId: 'pub_01jd4v7h2kpf4s1w8v6y5x3q0n' };
const exampleMember = { memberId: 'mem_01jd4v7h2kpf4s1w8v6y5x3q0n' };

/** A script can act on the site with a new token. */
export const AccessTokenIssued = siteEventType(
  'AccessTokenIssued',
  z.strictObject({
    ...token,
    /** The membership that the token depends on. The token ends with it. */
    memberId: z.string(),
    /** The highest role that the token allows. */
    role: z.enum(['editor', 'viewer']),
    /** Expiry of the token (RFC 3339), or null if it is valid until it is revoked. */
    expiresAt: z.iso.datetime().nullable(),
  }),
  {
    example: { ...exampleToken, ...exampleMember, role: 'viewer', expiresAt: '2026-12-24T00:00:00.000Z' },
    changes: null,
    summary: ({ tokenId, role }, { names }) =>
      `Access token for ${names.script({ token: tokenId })} created with the role ${role}`,
  },
);

export const AccessTokenRevoked = siteEventType('AccessTokenRevoked', z.strictObject(token), {
  example: exampleToken,
  changes: null,
  summary: ({ tokenId }, { names }) => `Access token for ${names.script({ token: tokenId })} revoked`,
});

/** Jobs of an external service, such as CI jobs, can now get tokens for the site without a stored secret. */
export const PublisherTrusted = siteEventType(
  'PublisherTrusted',
  z.strictObject({
    ...publisher,
    /** The membership that the trust depends on. The trust ends with it. */
    memberId: z.string(),
  }),
  {
    example: { ...examplePublisher, ...exampleMember },
    changes: null,
    summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} added`,
  },
);

/** Jobs can no longer get tokens through this publisher, and its existing tokens are no longer valid. */
export const PublisherRemoved = siteEventType('PublisherRemoved', z.strictObject(publisher), {
  example: examplePublisher,
  changes: null,
  summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} removed`,
});

/** A job proved its identity and received a token that is valid for a limited time. */
export const PublisherUsed = siteEventType(
  'PublisherUsed',
  z.strictObject({
    ...publisher,
    ...token,
    /** Hexadecimal SHA-256 hash of the job’s proof. Used to detect a proof that is sent again. */
    proof: z.string(),
    expiresAt: z.iso.datetime(),
  }),
  {
    example: { ...examplePublisher, ...exampleToken, proof: 'ab'.repeat(32), expiresAt: '2026-11-24T10:15:00.000Z' },
    changes: null,
    summary: ({ tokenId, publisherId }, { names }) =>
      `Access token issued to trusted publisher ${names.script({ token: tokenId, publisher: publisherId })}`,
  },
);

export const tokenEvents = [
  AccessTokenIssued,
  AccessTokenRevoked,
  PublisherTrusted,
  PublisherRemoved,
  PublisherUsed,
] as const;
export type TokenEvent = EventOf<(typeof tokenEvents)[number]>;
