import { SiteDeleted, SiteSlugReleased } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Site } from '../../site/site.state.js';

export type SlugRelease = {
  /** The job that was found to have ended without a deploy. */
  readonly jobId: string;
};

/** The job whose end without a deploy gives the slug of this site back; null where it has shown, or is, more than that. */
export function lastHope(site: Site): string | null {
  return site.status === 'live' && site.isUntouched ? (site.jobs[0]?.jobId ?? null) : null;
}

/**
 * A site that never showed anything ends, and its slug is not kept from others. Not where something was done with it
 * since its job was looked at, such as that the job was asked for again.
 */
export function decideReleaseSlug(site: Site, { jobId }: SlugRelease): SiteEvent[] {
  // Another request has released the slug first. Which of them gets it is decided in the slug’s own stream.
  if (site.status === 'deleted' && !site.keepsSlugs) return [];
  if (site.status !== 'live' || lastHope(site) !== jobId)
    return refuse('slug_taken', 'This slug belongs to another site.');
  return [SiteSlugReleased({ slug: site.slug, jobId }), SiteDeleted({})];
}
