import { z } from 'zod';
import { type EventOf, eventType } from '../event-type.js';

/**
 * What lets scripts publish. Recorded in the site's own stream, by ids alone: names of tokens, and what publishers have to
 * say of themselves, are a person's words and stand in tables that can be erased.
 */
const token = { tokenId: z.string() };
const publisher = { publisherId: z.string() };

/** A script may act on the site with a new token from now on. */
export const AccessTokenIssued = eventType(
  'AccessTokenIssued',
  z.strictObject({
    ...token,
    /** The membership that it stands on: it ends with that. */
    memberId: z.string(),
    /** The most that it may do. */
    role: z.enum(['editor', 'viewer']),
    /** RFC 3339; null for one that lasts until it is revoked. */
    expiresAt: z.iso.datetime().nullable(),
  }),
  {
    summary: ({ tokenId, role }, { names }) =>
      `Access token for ${names.script({ token: tokenId })} created with the role ${role}`,
  },
);

/** The token is good for nothing any more. */
export const AccessTokenRevoked = eventType('AccessTokenRevoked', z.strictObject(token), {
  summary: ({ tokenId }, { names }) => `Access token for ${names.script({ token: tokenId })} revoked`,
});

/** Jobs elsewhere may have tokens for the site from now on, without a stored secret. */
export const PublisherTrusted = eventType(
  'PublisherTrusted',
  z.strictObject({
    ...publisher,
    /** The membership that it stands on: it ends with that. */
    memberId: z.string(),
  }),
  { summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} added` },
);

/** No job gets a token by it any more, and those that were had are over. */
export const PublisherRemoved = eventType('PublisherRemoved', z.strictObject(publisher), {
  summary: ({ publisherId }, { names }) => `Trusted publisher ${names.script({ publisher: publisherId })} removed`,
});

/** A job proved what it is and has a token for a while. */
export const PublisherUsed = eventType(
  'PublisherUsed',
  z.strictObject({
    ...publisher,
    ...token,
    /** SHA-256 of what the job showed, hexadecimal: the same again is the same proof, shown again. */
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
