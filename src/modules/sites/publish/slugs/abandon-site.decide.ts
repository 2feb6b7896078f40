import { SiteDeleted, SiteSlugReleased } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Site } from '../../site/site.state.js';

export type AbandonSiteInput = {
  /** The job that ended without a deploy. */
  readonly jobId: string;
};

/** The job whose end without a deploy frees the slug of this site; null if anything else was done with the site. */
export function lastHope(site: Site): string | null {
  return site.status === 'live' && site.isUntouched ? (site.jobs[0]?.jobId ?? null) : null;
}

/**
 * Deletes a site that never showed anything, without reserving its slug. Refuses if something was done with the site
 * since its job was examined, such as running the job again.
 */
export function decideAbandonSite(site: Site, { jobId }: AbandonSiteInput): SiteEvent[] {
  // Another request released the slug first. The slug’s own stream decides which of them gets it.
  if (site.status === 'deleted' && !site.keepsSlugs) return [];
  if (site.status !== 'live' || lastHope(site) !== jobId)
    return refuse('slug_taken', 'This slug belongs to another site.');
  return [SiteSlugReleased({ slug: site.slug, jobId }), SiteDeleted({})];
}
