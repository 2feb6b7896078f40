import type { SlugEvent } from '../../../../events/slug.events.js';
import type { Fold } from '../../../../kernel/decider.js';

/** State of a slug. Reservations need no timer, because rules compare their end with the time of the command. */
export type Slug =
  | { readonly status: 'free' }
  | { readonly status: 'held'; readonly siteId: string }
  | { readonly status: 'reserved'; readonly siteId: string; readonly until: string };

export const slug: Fold<Slug, SlugEvent> = {
  name: 'slug',
  version: 2,
  initial: { status: 'free' },

  evolve(state, event) {
    switch (event.type) {
      case 'SlugHeld':
        return { status: 'held', siteId: event.data.siteId };
      case 'SlugReserved':
        return { status: 'reserved', siteId: event.data.siteId, until: event.data.until };
      default:
        return state;
    }
  },
};
