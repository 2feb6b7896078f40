import { SiteRenamed } from '../../../events/settings.events.js';
import type { SiteEvent } from '../../../events/site.events.js';
import { expectRevision, type Given } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { mayOwn } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

/** Slugs that one site keeps, all told: enough to change one’s mind, too few to take names away from others. */
export const MOST_NAMES = 50;

export type RenameSite = Given & { readonly slug: string; readonly ifRevision: number | null };

/** Gives the site another slug, which is held in its name; it keeps those that it had. The one it has is no news. */
export function decideRename(site: Site, command: RenameSite, revision: number): SiteEvent[] {
  const { slug: before, formerSlugs, live } = mayOwn(site, command);
  const { slug, ifRevision } = command;
  expectRevision(ifRevision, revision, { path: 'deployId', message: live?.deployId ?? 'none' });
  if (slug === before) return [];
  if (!formerSlugs.includes(slug) && formerSlugs.length + 1 >= MOST_NAMES)
    return refuse('quota_exceeded', `A site keeps ${MOST_NAMES} slugs at most. It may take one of its own back.`);
  return [SiteRenamed({ slug, before })];
}
