import { InviteRevoked, MemberAdded, MemberRoleChanged, type Role } from '../../../events/site/member.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { isOpen } from '../invite/invite.decide.js';
import { isThere } from '../site/may-edit.decide.js';
import type { OpenInvite, Site } from '../site/site.state.js';

export type Accept = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly inviteId: string;
  readonly memberId: string;
  /** Whose address the invite went to. */
  readonly userId: string;
};

const rank: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };

/** The invite, as long as it can be accepted. Refuses with `invalid_token`, or as the site’s own end has it. */
export function expectOpen(
  site: Site,
  { at, inviteId }: { readonly at: string; readonly inviteId: string },
): { readonly slug: string; readonly invite: OpenInvite } {
  const { slug, invites } = isThere(site, at);
  const invite = invites.find((each) => each.inviteId === inviteId);
  if (!invite || !isOpen(invite, at)) {
    return refuse('invalid_token', 'This invite was accepted or revoked, or its time is over.');
  }
  return { slug, invite };
}

/** Makes the invited person a member, once. One who became a member meanwhile loses nothing by it: the higher role counts. */
export function decideAccept(site: Site, { context: { at }, inviteId, memberId, userId }: Accept): SiteEvent[] {
  const { invite } = expectOpen(site, { at, inviteId });
  const { members } = isThere(site, at);
  const member = Object.hasOwn(members, userId) ? members[userId] : undefined;
  if (!member) return [MemberAdded({ memberId, userId, role: invite.role, inviteId })];
  const accepted = InviteRevoked({ inviteId });
  if (rank[member.role] >= rank[invite.role]) return [accepted];
  return [MemberRoleChanged({ memberId: member.memberId, userId, role: invite.role }), accepted];
}
