import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/**
 * The stream of one invocation of a site's connector. It has no hash chain, and is deleted some time after the
 * invocation ends. Input and output are stored elsewhere for a day; events contain only their digests.
 */
export const workStream = (workId: string) => `work-${workId}`;
export const isWorkStream = (stream: string) => stream.startsWith('work-');

const payload = {
  /** Hexadecimal SHA-256 hash of the input or output as a JSON string. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().nonnegative(),
};

const examplePayload = { digest: '5'.repeat(64), size: 31 };
const exampleTokenId = 'ctk_01jd4v7h2kpf4s1w8v6y5x3q0n';

export const WorkQueued = eventType(
  'WorkQueued',
  z.strictObject({ siteId: z.string(), input: z.strictObject(payload), priority: z.number().int() }),
  { example: { siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n', input: examplePayload, priority: -3 } },
);

/** An agent received the work. Its lease ends at `until` (RFC 3339) unless extended. Earlier attempts count as lost. */
export const WorkLeased = eventType(
  'WorkLeased',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    /** The token’s name, which the owner chose. */
    agent: z.string(),
    until: z.iso.datetime(),
  }),
  { example: { attempt: 1, tokenId: exampleTokenId, agent: 'my machine', until: '2026-11-24T12:01:00.000Z' } },
);

/** The agent disconnected before it received the work. The work is queued again, and the attempt does not count. */
export const WorkReturned = eventType('WorkReturned', z.strictObject({ attempt: z.number().int().positive() }), {
  example: { attempt: 1 },
});

/** The first result arrived. Later ones are ignored. */
export const WorkSucceeded = eventType(
  'WorkSucceeded',
  z.strictObject({
    attempt: z.number().int().positive(),
    tokenId: z.string(),
    output: z.strictObject(payload),
  }),
  { example: { attempt: 2, tokenId: exampleTokenId, output: examplePayload } },
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
  { example: { attempt: 3, tokenId: exampleTokenId, reason: 'attempts', error: examplePayload } },
);

/** No result arrived in time, or the site is gone. */
export const WorkExpired = eventType('WorkExpired', z.strictObject({ reason: z.enum(['time', 'site_gone']) }), {
  example: { reason: 'site_gone' },
});

/** The earlier events of the invocation were deleted, long after it ended. */
export const WorkForgotten = eventType('WorkForgotten', z.strictObject({}), { example: {} });

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
