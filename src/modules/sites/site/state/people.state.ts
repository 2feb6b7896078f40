import type { Role } from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';

export type Member = { readonly memberId: string; readonly role: Role };

/** An invite that was neither accepted nor revoked. */
export type OpenInvite = {
  readonly inviteId: string;
  readonly role: Role;
  /**
   * When the invite expires, as an RFC 3339 timestamp. Expired invites remain in this state, so rules must compare the
   * time.
   */
  readonly expiresAt: string;
  /** The user who sent the invite, or null if that was not recorded. */
  readonly invitedBy: string | null;
};

/**
 * Maximum number of open invites per site. The state contains only this many of the newest invites; any older ones have
 * expired.
 */
export const MAX_INVITES = 100;

export type PeopleState = {
  /** Hash of the edit token, or null once the site has an owner. */
  readonly editTokenHash: string | null;
  /** Members by user ID. Empty for a site without an owner. */
  readonly members: Readonly<Record<string, Member>>;
  /** User IDs of the owners, in the order in which they became owners. */
  readonly owners: readonly string[];
  /** Open invites, oldest first. */
  readonly invites: readonly OpenInvite[];
  /**
   * Number of events that have ended or reduced someone's right to deploy the site. When it grows, builds no longer
   * reuse dependencies that earlier builds installed.
   */
  readonly endedRights: number;
};

export const noPeople: PeopleState = { editTokenHash: null, members: {}, owners: [], invites: [], endedRights: 0 };

export const peopleVersion = 1;

export function evolvePeople(state: PeopleState, event: SiteEvent): Partial<PeopleState> | null {
  const change = evolveMembers(state, event);
  return endsRight(state.members, event) ? { ...change, endedRights: state.endedRights + 1 } : change;
}

function evolveMembers(state: PeopleState, event: SiteEvent): Partial<PeopleState> | null {
  switch (event.type) {
    case 'SiteClaimed': {
      const { memberId, userId } = event.data;
      return { editTokenHash: null, ...withMember(state, userId, { memberId, role: 'owner' }) };
    }
    case 'MemberInvited':
      return { invites: [...state.invites.slice(1 - MAX_INVITES), event.data] };
    case 'InviteRevoked':
      return { invites: withoutInvite(state, event.data.inviteId) };
    case 'MemberAdded': {
      const { memberId, userId, role, inviteId } = event.data;
      return { ...withMember(state, userId, { memberId, role }), invites: withoutInvite(state, inviteId) };
    }
    case 'MemberRoleChanged': {
      const { memberId, userId, role } = event.data;
      return withMember(state, userId, { memberId, role });
    }
    case 'MemberRemoved': {
      const { [event.data.userId]: _removed, ...members } = state.members;
      return { members, owners: state.owners.filter((owner) => owner !== event.data.userId) };
    }
    default:
      return null;
  }
}

const withMember = ({ members, owners }: PeopleState, userId: string, member: Member) => ({
  members: { ...members, [userId]: member },
  owners: ownersAfter(owners, userId, member.role),
});

/** Returns the owners after a change of role. A user who becomes an owner again is listed last. */
function ownersAfter(owners: readonly string[], userId: string, role: Role): readonly string[] {
  if (role !== 'owner') return owners.filter((owner) => owner !== userId);
  return owners.includes(userId) ? owners : [...owners, userId];
}

const withoutInvite = ({ invites }: PeopleState, removed: string | null) =>
  invites.filter(({ inviteId }) => inviteId !== removed);

const RANK = { owner: 2, editor: 1, viewer: 0 } as const;

/** Reports whether the event ends or reduces someone's right to deploy the site. */
function endsRight(members: Readonly<Record<string, Member>>, event: SiteEvent): boolean {
  switch (event.type) {
    case 'SiteClaimed':
    case 'AccessTokenRevoked':
    case 'PublisherRemoved':
      return true;
    case 'MemberRemoved':
      return members[event.data.userId]?.role !== 'viewer';
    case 'MemberRoleChanged':
      return RANK[event.data.role] < RANK[members[event.data.userId]?.role ?? 'viewer'];
    default:
      return false;
  }
}
