import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/**
 * What became of one invocation of a site's connector. Outside the hash chain, and dropped some time after its end. What
 * went in and came out is kept elsewhere for a day; here are its digests.
 */
export const workStream = (workId: string) => `work-${workId}`;
export const isWorkStream = (stream: string) => stream.startsWith('work-');

const payload = {
  /** SHA-256 of the JSON text, hexadecimal. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Bytes of it. */
  size: z.number().int().nonnegative(),
};

/** It waits for an agent of the site. */
export const WorkQueued = eventType(
  'WorkQueued',
  z.strictObject({ siteId: z.string(), input: z.strictObject(payload), priority: z.number().int() }),
);

/** An agent is given it, and has until then (RFC 3339) unless it says more. An attempt before this one is lost. */
export const WorkLeased = eventType(
  'WorkLeased',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    /** What the owner calls the token. */
    agent: z.string(),
    until: z.iso.datetime(),
  }),
);

/** The agent was gone before it got it: it waits again, and the attempt does not count. */
export const WorkReturned = eventType('WorkReturned', z.strictObject({ attempt: z.number().int().positive() }));

/** The first result, which is the one that counts. */
export const WorkSucceeded = eventType(
  'WorkSucceeded',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    output: z.strictObject(payload),
  }),
);

/** The agent said that it cannot be done, or every attempt was lost. */
export const WorkFailed = eventType(
  'WorkFailed',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    reason: z.enum(['agent', 'attempts']),
    /** The message that the caller is shown. */
    error: z.strictObject(payload),
  }),
);

/** No result came while it was worth one. */
export const WorkExpired = eventType('WorkExpired', z.strictObject({ reason: z.enum(['time', 'site_gone']) }));

/** Long after its end: the events before this one were dropped. */
export const WorkForgotten = eventType('WorkForgotten', z.strictObject({}));

export const workEvents = [
  WorkQueued,
  WorkLeased,
  WorkReturned,
  WorkSucceeded,
  WorkFailed,
  WorkExpired,
  WorkForgotten,
] as const;
export type WorkEvent = EventOf<(typeof workEvents)[number]>;
