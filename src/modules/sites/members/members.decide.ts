import { MemberRemoved, MemberRoleChanged, type Role } from '../../../events/member.events.js';
import type { SiteEvent } from '../../../events/site.events.js';
import type { Given } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { isThere, type LiveSite, mayOwn } from '../site/may-edit.decide.js';
import type { Member, Site } from '../site/site.state.js';

type About = { readonly given: Given; readonly memberId: string };

/** Gives a member another role, which only owners may. The role they have already is no news; the last owner stays one. */
export function decideChangeRole(site: Site, { given, memberId, role }: About & { readonly role: Role }): SiteEvent[] {
  const live = mayOwn(site, given);
  const { userId, ...member } = memberOf(live, memberId);
  if (member.role === role) return [];
  expectAnotherOwner(live, member);
  return [MemberRoleChanged({ memberId, userId, role })];
}

/** Ends a membership: an owner may end any, everybody their own. The last owner stays. */
export function decideRemove(site: Site, { given, memberId }: About): SiteEvent[] {
  const live = isTheirOwn(site, given, memberId) ? isThere(site, given.at) : mayOwn(site, given);
  const { userId, ...member } = memberOf(live, memberId);
  expectAnotherOwner(live, member);
  return [MemberRemoved({ memberId, userId })];
}

function isTheirOwn(site: Site, { caller: { userId } }: Given, memberId: string): boolean {
  if (site.status !== 'live' || userId === null || !Object.hasOwn(site.members, userId)) return false;
  return site.members[userId]?.memberId === memberId;
}

/** Refuses with `not_found`. */
export function memberOf({ members }: LiveSite, memberId: string): Member & { readonly userId: string } {
  const [userId, member] = Object.entries(members).find(([, each]) => each.memberId === memberId) ?? [];
  return userId !== undefined && member ? { userId, ...member } : refuse('not_found', 'There is no such member.');
}

function expectAnotherOwner({ members }: LiveSite, { role }: Member) {
  if (role !== 'owner' || Object.values(members).filter((each) => each.role === 'owner').length > 1) return;
  refuse('last_owner', 'This is the site’s last owner. Make somebody else an owner first.');
}
