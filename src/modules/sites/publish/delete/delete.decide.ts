import { SiteDeleted } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { assertCanManage, assertExists, hasEditToken } from '../../site/assert-access.decide.js';
import { assertUnchanged } from '../../site/assert-unchanged.decide.js';
import type { Site } from '../../site/site.state.js';

export type Delete = { readonly context: CommandContext; readonly ifRevision: number | null };

/**
 * Ends the site for good. Its owners may, and a caller who holds the edit token of a site without an owner: nothing
 * else says whose it is. A site that is gone already is refused like one that never was, to its former owners too.
 */
export function decideDelete(site: Site, { context, ifRevision }: Delete, revision: number): SiteEvent[] {
  assertUnchanged(assertCanDelete(site, context), 'everything', { ifRevision, revision });
  return [SiteDeleted({})];
}

function assertCanDelete(site: Site, context: CommandContext) {
  const there = assertExists(site, context.at);
  return hasEditToken(there, context.caller) ? there : assertCanManage(there, context);
}
