import { InviteRevoked, MemberAdded, MemberRoleChanged, type Role } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertExists } from '../../site/assert-access.rule.js';
import type { OpenInvite } from '../../site/state/people.state.js';
import type { Site } from '../../site/state/site.state.js';
import { isOpen } from '../invite/invite.decide.js';

export type Accept = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly inviteId: string;
  readonly memberId: string;
  /** The user who has the address that the invite was sent to. */
  readonly userId: string;
};

const rank: Readonly<Record<Role, number>> = { viewer: 1, editor: 2, owner: 3 };

type InviteToAccept = { readonly at: string; readonly inviteId: string; readonly userId: string | null };

/**
 * Returns the invite, or null if an earlier attempt accepted it but failed to sign the member in. The caller must have
 * checked that the link is unused. Refuses with `invalid_token`, or like `assertExists`.
 */
function openInvite(site: Site, { at, inviteId, userId }: InviteToAccept): OpenInvite | null {
  const { invites, members } = assertExists(site, at);
  const invite = invites.find((each) => each.inviteId === inviteId);
  if (!invite && userId !== null && Object.hasOwn(members, userId)) return null;
  if (invite && isOpen(invite, at)) return invite;
  return refuse('invalid_token', 'This invite was already accepted, was revoked or has expired.');
}

/** Returns the role that the user has on the site or would get from the invite. Refuses like `decideAccept`. */
export function assertOpen(site: Site, asked: InviteToAccept): { readonly slug: string; readonly role: Role } {
  const invite = openInvite(site, asked);
  const { slug, members } = assertExists(site, asked.at);
  return { slug, role: invite?.role ?? members[asked.userId ?? '']?.role ?? 'viewer' };
}

/** Makes the invited user a member. Idempotent. A current member keeps the higher of the two roles. */
export function decideAccept(site: Site, { context: { at }, inviteId, memberId, userId }: Accept): SiteEvent[] {
  const invite = openInvite(site, { at, inviteId, userId });
  if (!invite) return [];
  const { members } = assertExists(site, at);
  const member = Object.hasOwn(members, userId) ? members[userId] : undefined;
  if (!member) return [MemberAdded({ memberId, userId, role: invite.role, inviteId })];
  const accepted = InviteRevoked({ inviteId });
  if (rank[member.role] >= rank[invite.role]) return [accepted];
  return [MemberRoleChanged({ memberId: member.memberId, userId, role: invite.role }), accepted];
}
