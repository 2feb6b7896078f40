import { MemberRemoved } from '../../../../events/site/member.events.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { LiveSite, Site } from '../../site/state/site.state.js';
import { revokeVoidInvites } from '../invite/void-invites.rule.js';
import { endedWithMember } from '../tokens/ended-with-member.rule.js';

export type Leave = { readonly userId: string };

export function isLastOwner(site: LiveSite, { userId }: Leave): boolean {
  const owners = Object.entries(site.members).filter(([, { role }]) => role === 'owner');
  return owners.length === 1 && owners[0]?.[0] === userId;
}

/** Ends the user's membership. Records nothing if the user is not a member. */
export function decideLeave(site: Site, leave: Leave): SiteEvent[] {
  if (site.status !== 'live' || !Object.hasOwn(site.members, leave.userId)) return [];
  if (isLastOwner(site, leave))
    refuse('last_owner', `“${site.slug}” would be left without an owner. Make another member an owner first.`);
  return left(site, leave);
}

/**
 * Ends the membership, or deletes the site if no owner would be left. A site that the operator took down is not deleted
 * and only loses its owner.
 */
export function decideLeaveOrDelete(site: Site, leave: Leave): SiteEvent[] {
  if (site.status !== 'live' || !isLastOwner(site, leave)) return decideLeave(site, leave);
  return site.takenDown ? left(site, leave) : [SiteDeleted({})];
}

function left(site: LiveSite, { userId }: Leave): SiteEvent[] {
  const member = site.members[userId];
  const voided = member?.role === 'owner' ? revokeVoidInvites(site, userId) : [];
  const memberId = member?.memberId ?? '';
  return [MemberRemoved({ memberId, userId }), ...voided, ...endedWithMember(site, memberId)];
}
