import type { CommandContext } from '../../../kernel/command-context.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { assertCanEdit, isTheirs } from './assert-access.js';
import type { Site } from './site.state.js';
import type { FoundSite, SiteDirectory } from './site-directory.js';

/**
 * The site with the slug, which the caller may edit; null where a new one is to be made, also where an earlier try made
 * it by that id. Refuses with `slug_taken`.
 */
export async function siteToDeploy(
  directory: SiteDirectory,
  context: CommandContext,
  { slug, siteId }: { readonly slug: string | null; readonly siteId: string },
): Promise<FoundSite | null> {
  const found = slug === null ? null : await directory.find(slug, context.at);
  if (found === null || found.siteId === siteId) return null;
  if (edits(found.state, context)) return found;
  if (await directory.givesSlugBack(found, context.at)) return null;
  return refuse('slug_taken', `Another site is called “${slug}”.`);
}

/** Whether the caller could redeploy this site. To strangers a taken name is taken, whatever became of its site. */
export function edits(state: Site, context: CommandContext): boolean {
  try {
    assertCanEdit(state, context);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isTheirs(state, context.caller)) throw error;
    return false;
  }
}
