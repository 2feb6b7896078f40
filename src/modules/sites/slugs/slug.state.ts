import type { SlugEvent } from '../../../events/slug.events.js';
import type { Fold } from '../../../kernel/decider.js';

/** Who holds a slug, and since when (RFC 3339). */
export type Slug = { readonly status: 'free' } | { readonly status: 'held'; readonly siteId: string };

export const slug: Fold<Slug, SlugEvent> = {
  name: 'slug',
  version: 1,
  initial: { status: 'free' },

  evolve(state, event) {
    switch (event.type) {
      case 'SlugHeld':
        return { status: 'held', siteId: event.data.siteId };
      default:
        return state;
    }
  },
};
