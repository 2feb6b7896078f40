import { InviteRevoked } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { LiveSite } from '../../site/state/site.state.js';

/**
 * Revokes the open invites of a user who left, was removed or is no longer an owner. Also revokes invites without a
 * recorded sender, because this user might have sent them.
 */
export const revokeVoidInvites = ({ invites }: LiveSite, userId: string): SiteEvent[] =>
  invites
    .filter(({ invitedBy }) => invitedBy === userId || invitedBy === null)
    .map(({ inviteId }) => InviteRevoked({ inviteId }));

/** Returns the IDs of invites that these events revoked, so that their addresses can be deleted. */
export const listRevokedInvites = (events: readonly SiteEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'InviteRevoked' ? [event.data.inviteId] : []));
