import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { assertCanEdit, isInvolved } from './assert-access.rule.js';
import type { FoundSite, SiteDirectory } from './site-directory.js';
import type { Site } from './state/site.state.js';

/**
 * Returns the site with this slug if the caller can edit it. Returns null if a new site must be created, or if an
 * earlier attempt has already created it with the given ID. A caller with neither a role on the site nor its edit token
 * gets `slug_taken`, even if the site no longer exists.
 */
export async function siteToDeploy(
  directory: SiteDirectory,
  context: CommandContext,
  { slug, siteId }: { readonly slug: string | null; readonly siteId: string },
): Promise<FoundSite | null> {
  const found = slug === null ? null : await directory.find(slug, context.at);
  if (found === null || found.siteId === siteId) return null;
  if (!isInvolved(found.state, context.caller) && (await directory.givesSlugBack(found, context.at))) return null;
  assertEditableOrTaken(found.state, context, slug);
  return found;
}

/**
 * Refuses a caller who can't edit the site. A caller with neither a role on the site nor its edit token gets
 * `slug_taken`, even if the site no longer exists.
 */
export function assertEditableOrTaken(state: Site, context: CommandContext, slug: string | null): void {
  if (!isInvolved(state, context.caller)) refuse('slug_taken', `Another site is called “${slug}”.`);
  assertCanEdit(state, context);
}
