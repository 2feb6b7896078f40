import { SiteClaimed } from '../../../events/site/member.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import { type CommandContext, sameDigest } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { hasExpired, isHiddenFrom } from '../site/assert-access.js';
import type { Site } from '../site/site.state.js';

type ShownToken = {
  readonly at: string;
  /** SHA-256, hexadecimal. */
  readonly editTokenHash: string;
};

/** Refuses unless the site can be claimed: it exists, has no owner yet, and the caller has shown its edit token. */
export function expectClaimable(site: Site, { at, editTokenHash }: ShownToken, userId: string | null = null): void {
  const isHidden = isHiddenFrom(site, { editTokenHash, userId });
  if (isHidden || site.status === 'unknown' || site.status === 'deleted') refuse('site_not_found');
  if (site.status === 'expired' || hasExpired(site, at))
    refuse('site_expired', 'This site was published for a limited time, which has passed.');
  if (site.takenDown) refuse('taken_down', 'The operator has taken this site down.');
  if (site.editTokenHash === null) refuse('already_claimed', 'This site already has an owner.');
  if (!sameDigest(site.editTokenHash, editTokenHash))
    refuse('edit_token_invalid', 'This edit token does not belong to this site.');
}

export type Claim = {
  readonly context: Pick<CommandContext, 'at'>;
  /** SHA-256 of the edit token that was shown when the claim began, hexadecimal. */
  readonly editTokenHash: string;
  readonly memberId: string;
  readonly userId: string;
};

/** Of any number of people who claim a site, one becomes its owner. A second claim by that person changes nothing. */
export function decideClaim(site: Site, { context, editTokenHash, memberId, userId }: Claim): SiteEvent[] {
  if (site.status === 'live' && site.editTokenHash === null && site.members[userId]?.role === 'owner') return [];
  expectClaimable(site, { at: context.at, editTokenHash }, userId);
  return [SiteClaimed({ memberId, userId })];
}
