import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/** Which site holds a slug. A stream of its own, so that of any number of racers one wins. */
export const slugStream = (slug: string) => `slug-${slug}`;

/** A site took the slug. It is written before the site's first event; a hold whose site never came to be lapses. */
export const SlugHeld = eventType('SlugHeld', z.strictObject({ siteId: z.string() }));

/** Its site is gone; the slug is not given out again before `until` (RFC 3339). */
export const SlugReserved = eventType('SlugReserved', z.strictObject({ siteId: z.string(), until: z.iso.datetime() }));

export const slugEvents = [SlugHeld, SlugReserved] as const;
export type SlugEvent = EventOf<(typeof slugEvents)[number]>;
