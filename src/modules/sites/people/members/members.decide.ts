import { MemberRemoved, MemberRoleChanged, type Role } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanManage, assertExists } from '../../site/assert-access.rule.js';
import type { Member } from '../../site/state/people.state.js';
import type { LiveSite, Site } from '../../site/state/site.state.js';
import { revokeVoidInvites } from '../invite/void-invites.rule.js';
import { endedWithMember, endedWithOwnership } from '../tokens/ended-with-member.rule.js';

type MemberCommand = { readonly context: CommandContext; readonly memberId: string };

/**
 * Changes a member's role. Only owners can do this, and the last owner can't be demoted. Demoting an owner revokes
 * their open invites and connector tokens.
 */
export function decideChangeRole(
  site: Site,
  { context, memberId, role }: MemberCommand & { readonly role: Role },
): SiteEvent[] {
  const live = assertCanManage(site, context);
  const { userId, ...member } = findMember(live, memberId);
  if (member.role === role) return [];
  assertAnotherOwner(live, member);
  const ended =
    member.role === 'owner' ? [...revokeVoidInvites(live, userId), ...endedWithOwnership(live, memberId)] : [];
  return [MemberRoleChanged({ memberId, userId, role }), ...ended];
}

/**
 * Ends a membership. Owners can end any membership, other members only their own, and the last owner can't be removed.
 * An owner's open invites and tokens end with the membership.
 */
export function decideRemove(site: Site, { context, memberId }: MemberCommand): SiteEvent[] {
  const live = isTheirOwn(site, context, memberId) ? assertExists(site, context.at) : assertCanManage(site, context);
  const { userId, ...member } = findMember(live, memberId);
  assertAnotherOwner(live, member);
  const voided = member.role === 'owner' ? revokeVoidInvites(live, userId) : [];
  return [MemberRemoved({ memberId, userId }), ...voided, ...endedWithMember(live, memberId)];
}

/**
 * Reports whether the membership is the caller's own. False for a token or app, which must not end its user's
 * membership: that would remove more rights than it was granted.
 */
function isTheirOwn(site: Site, { caller: { userId, delegation } }: CommandContext, memberId: string): boolean {
  if (site.status !== 'live' || delegation || userId === null || !Object.hasOwn(site.members, userId)) return false;
  return site.members[userId]?.memberId === memberId;
}

/** Returns the member with this ID. Refuses with `not_found` if the site has none. */
export function findMember({ members }: LiveSite, memberId: string): Member & { readonly userId: string } {
  const [userId, member] = Object.entries(members).find(([, each]) => each.memberId === memberId) ?? [];
  return userId !== undefined && member
    ? { userId, ...member }
    : refuse('not_found', `This site has no member ${quoteId(memberId)}.`);
}

function assertAnotherOwner({ members }: LiveSite, { role }: Member) {
  if (role !== 'owner' || Object.values(members).filter((each) => each.role === 'owner').length > 1) return;
  refuse('last_owner', 'This user is the site’s last owner. Make someone else an owner first.');
}
