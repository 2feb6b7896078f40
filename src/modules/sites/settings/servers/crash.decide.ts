import { SiteServerCrashed } from '../../../../events/site/server.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Site } from '../../site/state/site.state.js';

export type ServerCrash = { readonly deployId: string; readonly reason: string };

/** Records that a server crashed, unless the site has no such deploy or no longer exists. */
export function decideServerCrash(site: Site, { deployId, reason }: ServerCrash): SiteEvent[] {
  if (site.status !== 'live' || !site.deploys.some((deploy) => deploy.deployId === deployId)) return [];
  return [SiteServerCrashed({ deployId, reason })];
}
