import { SiteDeleted } from '../../../../events/site/settings.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { assertCanManage, assertExists, hasEditToken } from '../../site/assert-access.rule.js';
import { defineConditionalRule } from '../../site/if-match.rule.js';
import type { Site } from '../../site/state/site.state.js';

export type Delete = { readonly context: CommandContext; readonly ifRevision: number | null };

/**
 * Deletes the site permanently. Allowed for owners, and with the edit token if the site has no owner, because nothing
 * else proves ownership. A deleted site is refused like a site that never existed, even for its former owners.
 */
export const decideDelete = defineConditionalRule<Delete>('everything', (site, { context }, assertUnchanged) => {
  assertUnchanged(assertCanDelete(site, context));
  return [SiteDeleted({})];
});

function assertCanDelete(site: Site, context: CommandContext) {
  const there = assertExists(site, context.at);
  return hasEditToken(there, context.caller) ? there : assertCanManage(there, context);
}
