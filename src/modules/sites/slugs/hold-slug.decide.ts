import { type SlugEvent, SlugHeld } from '../../../events/slug.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Slug } from './slug.state.js';

export type HoldSlug = {
  readonly siteId: string;
  /** A site that was found to hold the slug without ever having come to be; its hold has lapsed. */
  readonly lapsed: string | null;
};

/** Of any number of racers for a slug, the first to write it down has it. */
export function decideHold(slug: Slug, { siteId, lapsed }: HoldSlug): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === siteId) return [];
  if (slug.status === 'held' && slug.siteId !== lapsed) return refuse('slug_taken', 'Another site has this slug.');

  return [SlugHeld({ siteId })];
}
