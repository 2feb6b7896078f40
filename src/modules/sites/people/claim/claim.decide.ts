import { SiteClaimed } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertVisible, hasEditToken } from '../../site/assert-access.rule.js';
import type { Site } from '../../site/state/site.state.js';

type ShownToken = {
  readonly at: string;
  /** SHA-256 of the edit token, in hexadecimal. */
  readonly editTokenHash: string;
};

/** Refuses unless the site exists, has no owner yet, and the caller has presented its edit token. */
export function assertClaimable(site: Site, { at, editTokenHash }: ShownToken, userId: string | null = null): void {
  const caller = { editTokenHash, userId };
  const live = assertVisible(site, { caller, at });
  if (live.editTokenHash === null) refuse('already_claimed');
  if (!hasEditToken(live, caller)) refuse('edit_token_invalid', 'This is not the site’s edit token.');
}

export type ClaimSiteInput = {
  readonly context: Pick<CommandContext, 'at'>;
  /** SHA-256, in hexadecimal, of the edit token that was presented when the claim began. */
  readonly editTokenHash: string;
  readonly memberId: string;
  readonly userId: string;
};

/** Makes the first user who claims the site its owner. A second claim by the same user changes nothing. */
export function decideClaim(site: Site, { context, editTokenHash, memberId, userId }: ClaimSiteInput): SiteEvent[] {
  if (site.status === 'live' && site.editTokenHash === null && site.members[userId]?.role === 'owner') return [];
  assertClaimable(site, { at: context.at, editTokenHash }, userId);
  return [SiteClaimed({ memberId, userId })];
}
