import { type SiteEvent, SiteRestored, SiteTakenDown } from '../../../../events/site/site.events.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Site } from '../../site/state/site.state.js';

/** Takes a site offline at all its addresses. Refuses if the site no longer exists. */
export function decideTakeDown(site: Site, { reason }: { readonly reason: string }): SiteEvent[] {
  if (site.status === 'unknown' || site.status === 'deleted') return refuse('site_not_found');
  if (site.status === 'expired') return refuse('site_expired');
  return site.takenDown ? [] : [SiteTakenDown({ reason })];
}

export function decideRestore(site: Site): SiteEvent[] {
  if (site.status === 'unknown' || site.status === 'deleted') return refuse('site_not_found');
  if (site.status === 'expired') return refuse('site_expired');
  return site.takenDown ? [SiteRestored({})] : [];
}
