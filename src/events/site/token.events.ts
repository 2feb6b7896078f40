import { z } from 'zod';
import { type EventOf, eventType } from '../event-type.js';

/**
 * The credentials of scripts that publish. These events are part of the site's stream and contain only IDs. Users
 * choose the names of tokens and the claims of publishers, so those are stored in tables from which they can be
 * deleted.
 */
const token = { tokenId: z.string() };
const publisher = { publisherId: z.string() };

/** A new token allows a script to act on the site. */
export const AccessTokenIssued = eventType(
  'AccessTokenIssued',
  z.strictObject({
    ...token,
    /** The membership on which the token depends and with which it ends. */
    memberId: z.string(),
    /** The highest role that the token allows. */
    role: z.enum(['editor', 'viewer']),
    /** RFC 3339, or null if the token is valid until it is revoked. */
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
    /** The membership on which the trust depends and with which it ends. */
    memberId: z.string(),
  }),
  { summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} added` },
);

/** Jobs can no longer get tokens through this publisher, and tokens issued through it are no longer valid. */
export const PublisherRemoved = eventType('PublisherRemoved', z.strictObject(publisher), {
  summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} removed`,
});

/** A job proved its identity and received a token that is valid for a limited time. */
export const PublisherUsed = eventType(
  'PublisherUsed',
  z.strictObject({
    ...publisher,
    ...token,
    /** SHA-256 hash of the job’s proof in hexadecimal. Used to detect a proof that is sent again. */
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
