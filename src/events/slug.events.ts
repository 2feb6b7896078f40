import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/** The stream that records which site has a slug. Only one of several concurrent claims to a slug succeeds. */
export const slugStream = (slug: string) => `slug-${slug}`;

/**
 * A site claimed the slug. This is recorded before the site’s first event. The claim lapses if the site is never
 * created.
 */
export const SlugHeld = eventType('SlugHeld', z.strictObject({ siteId: z.string() }), {
  example: { siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n' },
});

/** The site no longer exists. No other site can take the slug before `until` (RFC 3339). */
export const SlugReserved = eventType('SlugReserved', z.strictObject({ siteId: z.string(), until: z.iso.datetime() }), {
  example: { siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n', until: '2026-12-20T12:00:00.000Z' },
});

export const slugEvents = [SlugHeld, SlugReserved] as const;
export type SlugEvent = EventOf<(typeof slugEvents)[number]>;
