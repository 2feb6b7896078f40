import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/**
 * The stream of one invocation of a site's connector. It has no hash chain, and is deleted some time after the
 * invocation ends. Input and output are stored elsewhere for a day; events contain only their digests.
 */
export const workStream = (workId: string) => `work-${workId}`;
export const isWorkStream = (stream: string) => stream.startsWith('work-');

const payload = {
  /** Hexadecimal SHA-256 hash of the JSON string. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().nonnegative(),
};

export const WorkQueued = eventType(
  'WorkQueued',
  z.strictObject({ siteId: z.string(), input: z.strictObject(payload), priority: z.number().int() }),
);

/** An agent received the work. Its lease ends at `until` (RFC 3339) unless extended. Earlier attempts are lost. */
export const WorkLeased = eventType(
  'WorkLeased',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    /** The token’s name, which the owner chose. */
    agent: z.string(),
    until: z.iso.datetime(),
  }),
);

/** The agent disconnected before it received the work. The work is queued again, and the attempt does not count. */
export const WorkReturned = eventType('WorkReturned', z.strictObject({ attempt: z.number().int().positive() }));

/** The first result arrived. Later ones are ignored. */
export const WorkSucceeded = eventType(
  'WorkSucceeded',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    output: z.strictObject(payload),
  }),
);

/** The agent reported a failure, or all attempts were lost. */
export const WorkFailed = eventType(
  'WorkFailed',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    reason: z.enum(['agent', 'attempts']),
    /** The error message for the caller. */
    error: z.strictObject(payload),
  }),
);

/** No result arrived in time, or the site is gone. */
export const WorkExpired = eventType('WorkExpired', z.strictObject({ reason: z.enum(['time', 'site_gone']) }));

/** The earlier events of the invocation were deleted, long after it ended. */
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
