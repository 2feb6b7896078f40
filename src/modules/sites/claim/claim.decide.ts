import { SiteClaimed } from '../../../events/member.events.js';
import type { SiteEvent } from '../../../events/site.events.js';
import { sameDigest } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { hasExpired, isHiddenFrom } from '../site/may-edit.decide.js';
import type { Site } from '../site/site.state.js';

export type Claim = {
  readonly at: string;
  /** SHA-256 of the edit token that was shown when the claim began, hexadecimal. */
  readonly editTokenHash: string;
};

/** Whether a site that is nobody's may become somebody's: it is there, it is nobody's yet, and its edit token was shown. */
export function expectClaimable(site: Site, { at, editTokenHash }: Claim, userId: string | null = null): void {
  const isHidden = isHiddenFrom(site, { editTokenHash, userId });
  if (isHidden || site.status === 'unknown' || site.status === 'deleted') refuse('site_not_found');
  if (site.status === 'expired' || hasExpired(site, at)) refuse('site_expired', 'The site’s time was over.');
  if (site.takenDown) refuse('taken_down', 'The operator has taken this site down.');
  if (site.editTokenHash === null) refuse('already_claimed', 'This site belongs to somebody.');
  if (!sameDigest(site.editTokenHash, editTokenHash))
    refuse('edit_token_invalid', 'This edit token does not belong to this site.');
}

/** Of any number who claim a site, one becomes its owner. The same person again is the same claim. */
export function decideClaim(
  site: Site,
  { memberId, userId, ...claim }: Claim & { readonly memberId: string; readonly userId: string },
): SiteEvent[] {
  if (site.status === 'live' && site.editTokenHash === null && site.members[userId]?.role === 'owner') return [];
  expectClaimable(site, claim, userId);
  return [SiteClaimed({ memberId, userId })];
}
