import { SiteServerCrashed } from '../../../../events/site/server.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Site } from '../../site/site.state.js';

export type ServerCrash = { readonly deployId: string; readonly reason: string };

/** A program of the site crashed. Of a deploy that the site does not have, or a site that is gone, nothing is said. */
export function decideServerCrash(site: Site, { deployId, reason }: ServerCrash): SiteEvent[] {
  if (site.status !== 'live' || !site.deploys.some((deploy) => deploy.deployId === deployId)) return [];
  return [SiteServerCrashed({ deployId, reason })];
}
