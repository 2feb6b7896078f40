import { SiteDeleted } from '../../../events/settings.events.js';
import type { SiteEvent } from '../../../events/site.events.js';
import { expectRevision, type Given } from '../../../kernel/command-context.js';
import { holdsToken, isThere, mayOwn } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type DeleteSite = Given & { readonly ifRevision: number | null };

/**
 * Ends the site for good. Its owners may, and whoever holds the edit token of a site that is nobody’s: it is all there is
 * to say whose it is. A site that is gone already is as unknown, to its former owners too.
 */
export function decideDelete(site: Site, command: DeleteSite, revision: number): SiteEvent[] {
  const { live } = mayEnd(site, command);
  expectRevision(command.ifRevision, revision, { path: 'deployId', message: live?.deployId ?? 'none' });
  return [SiteDeleted({})];
}

function mayEnd(site: Site, given: Given) {
  const there = isThere(site, given.at);
  return holdsToken(there, given.caller) ? there : mayOwn(there, given);
}
