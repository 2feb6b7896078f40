import { type SlugEvent, SlugHeld, SlugReserved } from '../../../events/slug.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Slug } from './slug.state.js';

export type HoldSlug = {
  readonly siteId: string;
  readonly at: string;
  /** A site that was found to hold the slug without ever having come to be; its hold has lapsed. */
  readonly lapsed: string | null;
};

/** Of any number of racers for a slug, the first to write it down has it. */
export function decideHold(slug: Slug, { siteId, at, lapsed }: HoldSlug): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === siteId) return [];
  if (slug.status === 'held' && slug.siteId !== lapsed) return refuse('slug_taken', 'Another site has this slug.');
  if (slug.status === 'reserved' && at < slug.until) {
    return refuse('slug_taken', `This slug is reserved until ${slug.until}.`);
  }
  return [SlugHeld({ siteId })];
}

export type ReserveSlug = { readonly siteId: string; readonly until: string };

/** Keeps the slug of a site that is gone from being taken at once by somebody who looks like it. */
export function decideReserve(slug: Slug, { siteId, until }: ReserveSlug): SlugEvent[] {
  return slug.status === 'held' && slug.siteId === siteId ? [SlugReserved({ siteId, until })] : [];
}
