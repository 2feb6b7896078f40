import { type SlugEvent, SlugHeld, SlugReserved } from '../../../events/slug.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Slug } from './slug.state.js';

export type HoldSlug = {
  readonly siteId: string;
  readonly at: string;
  /** The revision of the slug’s stream at which its hold was found to have lapsed; null where it was not looked at. */
  readonly lapsed: number | null;
};

/** Of any number of racers for a slug, the first to write it down has it. */
export function decideHold(slug: Slug, { siteId, at, lapsed }: HoldSlug, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === siteId) return [];
  if (slug.status === 'held' && revision !== lapsed) return refuse('slug_taken', 'Another site has this slug.');
  if (slug.status === 'reserved' && at < slug.until) {
    return refuse('slug_taken', `This slug is reserved until ${slug.until}.`);
  }
  return [SlugHeld({ siteId })];
}

/**
 * The same for a site that has a slug and wants another: a hold of its own that it never took is written again, so that
 * it does not lapse while the site takes it.
 */
export function decideHoldAnew(slug: Slug, command: HoldSlug, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === command.siteId) return [SlugHeld({ siteId: command.siteId })];
  return decideHold(slug, command, revision);
}

export type ReserveSlug = { readonly siteId: string; readonly until: string };

/** Keeps the slug of a site that is gone from being taken at once by somebody who looks like it. */
export function decideReserve(slug: Slug, { siteId, until }: ReserveSlug): SlugEvent[] {
  return slug.status === 'held' && slug.siteId === siteId ? [SlugReserved({ siteId, until })] : [];
}
