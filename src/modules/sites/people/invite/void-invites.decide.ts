import { InviteRevoked } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { LiveSite } from '../../site/site.state.js';

/**
 * What becomes void with a person who may not invite any more, because they left, were removed or are no owner now: the
 * open invites that they sent. One of which the sender was not recorded goes too: it may have been theirs.
 */
export const voidInvitesOf = ({ invites }: LiveSite, userId: string): SiteEvent[] =>
  invites
    .filter(({ invitedBy }) => invitedBy === userId || invitedBy === null)
    .map(({ inviteId }) => InviteRevoked({ inviteId }));

/** The ids of the invites that these events made void, so that the addresses they went to are forgotten. */
export const voidedBy = (events: readonly SiteEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'InviteRevoked' ? [event.data.inviteId] : []));
