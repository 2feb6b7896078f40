import { z } from 'zod';
import { type EventOf, eventType } from '../event-type.js';

/**
 * The credentials of scripts that publish. These events are part of the site's stream and contain only IDs: names of
 * tokens
 * and claims of publishers come from people, and are stored in tables from which they can be deleted.
 */
const token = { tokenId: z.string() };
const publisher = { publisherId: z.string() };

/** A new token allows a script to act on the site. */
export const AccessTokenIssued = eventType(
  'AccessTokenIssued',
  z.strictObject({
    ...token,
    /** The membership that the token depends on and ends with. */
    memberId: z.string(),
    /** The highest role of the token. */
    role: z.enum(['editor', 'viewer']),
    /** RFC 3339; null if it is valid until revoked. */
    expiresAt: z.iso.datetime().nullable(),
  }),
  {
    summary: ({ tokenId, role }, { names }) =>
      `Access token for ${names.script({ token: tokenId })} created with the role ${role}`,
  },
);

/** An access token is no longer valid. */
export const AccessTokenRevoked = eventType('AccessTokenRevoked', z.strictObject(token), {
  summary: ({ tokenId }, { names }) => `Access token for ${names.script({ token: tokenId })} revoked`,
});

/** Jobs on another service can now get tokens for the site without a stored secret. */
export const PublisherTrusted = eventType(
  'PublisherTrusted',
  z.strictObject({
    ...publisher,
    /** The membership that the trust depends on and ends with. */
    memberId: z.string(),
  }),
  { summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} added` },
);

/** Jobs can no longer get tokens through this publisher, and tokens issued through it are no longer valid. */
export const PublisherRemoved = eventType('PublisherRemoved', z.strictObject(publisher), {
  summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} removed`,
});

/** A job proved its identity and received a token for a limited time. */
export const PublisherUsed = eventType(
  'PublisherUsed',
  z.strictObject({
    ...publisher,
    ...token,
    /** SHA-256 of the job’s proof, hexadecimal. Detects a proof that is sent again. */
    proof: z.string(),
    expiresAt: z.iso.datetime(),
  }),
  {
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
