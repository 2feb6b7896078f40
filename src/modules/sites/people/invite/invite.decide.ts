import { InviteRevoked, MemberInvited, type Role } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import { MAX_INVITES, type OpenInvite } from '../../site/state/people.state.js';
import { type Site } from '../../site/state/site.state.js';

export type InviteInput = {
  readonly context: CommandContext;
  readonly inviteId: string;
  readonly role: Role;
  /** When the invite expires, as an RFC 3339 timestamp. */
  readonly expiresAt: string;
  /** The user who has this address now, or null if nobody does. */
  readonly userId: string | null;
  /** IDs of earlier invites to this address. */
  readonly earlier: readonly string[];
};

/**
 * Invites a user. Only owners can do this. A new invite replaces an open one to the same address, with a new link, a
 * new week of validity and its own role. Members can't be invited; change their role instead.
 */
export function decideInvite(
  site: Site,
  { context, inviteId, role, expiresAt, userId, earlier }: InviteInput,
): SiteEvent[] {
  const { members, invites } = assertCanManage(site, context);
  const member = userId !== null && Object.hasOwn(members, userId) ? members[userId] : undefined;
  if (member) {
    const { memberId, role } = member;
    const message = `is the address of an existing member (${memberId}, ${role})`;
    return refuse('already_member', `This user is already a member of the site, with the role ${role}.`, [
      { path: 'email', message },
    ]);
  }
  const open = invites.filter((invite) => isOpen(invite, context.at));
  const replaced = open.filter((invite) => earlier.includes(invite.inviteId));
  if (open.length - replaced.length >= MAX_INVITES) {
    return refuse(
      'quota_exceeded',
      `A site can have at most ${MAX_INVITES} open invites. Revoke some, or wait until they expire.`,
    );
  }
  return [
    ...replaced.map((invite) => InviteRevoked({ inviteId: invite.inviteId })),
    MemberInvited({ inviteId, role, expiresAt, invitedBy: context.caller.userId }),
  ];
}

/** Revokes an invite. Refuses with `not_found` if it was accepted or revoked, or has expired. */
export function decideRevoke(
  site: Site,
  { context, inviteId }: { readonly context: CommandContext; readonly inviteId: string },
): SiteEvent[] {
  const { invites } = assertCanManage(site, context);
  const found = invites.find((invite) => invite.inviteId === inviteId);
  if (!found || !isOpen(found, context.at))
    return refuse('not_found', `This site has no open invite with the ID ${quoteId(inviteId)}.`);
  return [InviteRevoked({ inviteId })];
}

/** RFC 3339 timestamps in UTC with milliseconds sort chronologically as strings. */
export const isOpen = ({ expiresAt }: OpenInvite, at: string) => at < expiresAt;
