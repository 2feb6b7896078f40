import { SiteDeleted, SiteSlugReleased } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Site } from '../../site/state/site.state.js';

export type AbandonSiteInput = {
  /** The site's newest job, which ended without a deploy. */
  readonly jobId: string;
};

/**
 * Returns the ID of the site's newest job, or null if the site was used for anything other than jobs. If that job ended
 * without a deploy, other sites can take the slug.
 */
export function lastHope(site: Site): string | null {
  return site.status === 'live' && site.isUntouched ? (site.jobs[0]?.jobId ?? null) : null;
}

/**
 * Deletes a site that never had a deploy, without reserving its slug. Refuses if the site has changed since its job was
 * examined, for example because the job was run again.
 */
export function decideAbandonSite(site: Site, { jobId }: AbandonSiteInput): SiteEvent[] {
  // Another request released the slug first. The slug's own stream decides which request gets it.
  if (site.status === 'deleted' && !site.keepsSlugs) return [];
  if (site.status !== 'live' || lastHope(site) !== jobId)
    return refuse('slug_taken', 'This slug belongs to another site.');
  return [SiteSlugReleased({ slug: site.slug, jobId }), SiteDeleted({})];
}
