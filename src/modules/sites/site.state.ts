import type { SiteEvent } from '../../events/site.events.js';
import type { Fold } from '../../kernel/decider.js';

export type KnownDeploy = { readonly deployId: string; readonly manifest: string };

/** What the rules about a site need to know, and nothing more. Read models are elsewhere. */
export type Site =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'live';
      readonly slug: string;
      readonly editTokenHash: string | null;
      readonly live: KnownDeploy | null;
      readonly deploys: readonly KnownDeploy[];
    };

export const site: Fold<Site, SiteEvent> = {
  name: 'site',
  version: 1,
  initial: { status: 'unknown' },

  evolve(state, event) {
    if (event.type === 'SiteCreated') {
      const { slug, editTokenHash } = event.data;
      return { status: 'live', slug, editTokenHash, live: null, deploys: [] };
    }
    if (state.status === 'unknown') return state;

    switch (event.type) {
      case 'SiteDeployed': {
        const live = { deployId: event.data.deployId, manifest: event.data.manifest };
        return { ...state, live, deploys: [...state.deploys, live] };
      }
      case 'SiteRolledBack': {
        const live = state.deploys.find(({ deployId }) => deployId === event.data.deployId);
        return live ? { ...state, live } : state;
      }
      default:
        return state;
    }
  },
};
