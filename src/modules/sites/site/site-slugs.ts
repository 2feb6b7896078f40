import type { Site } from './state/site.state.js';

/** Returns every slug that leads to the site or is reserved for it, newest first. */
export function listSlugs(site: Site): readonly string[] {
  switch (site.status) {
    case 'unknown':
      return [];
    case 'expired':
      return [site.slug];
    case 'deleted':
      return site.keepsSlugs ? [site.slug, ...site.formerSlugs.toReversed()] : [];
    default:
      return [site.slug, ...site.formerSlugs.toReversed()];
  }
}
