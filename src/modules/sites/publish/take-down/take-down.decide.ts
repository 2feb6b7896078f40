import { type SiteEvent, SiteRestored, SiteTakenDown } from '../../../../events/site/site.events.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Site } from '../../site/site.state.js';

/** Takes a site off all its addresses. One that is gone already has nothing left to take. */
export function decideTakeDown(site: Site, { reason }: { readonly reason: string }): SiteEvent[] {
  if (site.status === 'unknown' || site.status === 'deleted') return refuse('site_not_found');
  if (site.status === 'expired') return refuse('site_expired');
  return site.takenDown ? [] : [SiteTakenDown({ reason })];
}

/** Puts it back as it was. */
export function decideRestore(site: Site): SiteEvent[] {
  if (site.status === 'unknown' || site.status === 'deleted') return refuse('site_not_found');
  if (site.status === 'expired') return refuse('site_expired');
  return site.takenDown ? [SiteRestored({})] : [];
}
