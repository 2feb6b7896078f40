import { Column, Entity, In, Index, PrimaryColumn } from 'typeorm';
import { type MemberEvent, memberEvents } from '../../events/site/member.events.js';
import { readSiteId } from '../../events/site/site.events.js';
import type { Caller } from '../../kernel/command-context.js';
import { defineReadModel } from '../read-model.js';

/** Members and open invites of all sites. */
@Entity('memberships')
@Index('memberships_of_site', ['siteId', 'since'])
export class MembershipRow {
  /** ID of the member (`mem_…`) or of the invite (`inv_…`). */
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'site_id' }) siteId!: string;
  @Column('text') kind!: 'member' | 'invite';
  /** The member's user ID. Null for an invite, whose email address is stored elsewhere. */
  @Index('memberships_of_user')
  @Column('text', { name: 'user_id', nullable: true })
  userId!: string | null;
  @Column('text') role!: 'owner' | 'editor' | 'viewer';
  /** Time at which the member was added or the invite was created. */
  @Column('timestamptz') since!: Date;
  /** The user who sent the invite. Null for a member, or if no user sent the invite. */
  @Column('text', { name: 'invited_by', nullable: true }) invitedBy!: string | null;
  /** Expiry of an invite. This table also contains expired invites, so readers must check the time. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
}

/**
 * Returns a query condition for the memberships of a user that give the caller rights. The caller's delegation, such as
 * a token, can exclude some of them.
 */
export const buildMembershipFilter = (userId: string, { delegation }: Pick<Caller, 'delegation'>) => ({
  userId,
  kind: 'member' as const,
  ...(delegation?.memberIds && { id: In(delegation.memberIds) }),
});

export const memberships = defineReadModel<MembershipRow, MemberEvent>(
  memberEvents.map(({ type }) => type),
  {
    name: 'membership',
    version: 1,
    entity: MembershipRow,

    touches({ type, data }) {
      if (type === 'MemberInvited' || type === 'InviteRevoked') return [data.inviteId];
      if (type === 'MemberAdded' && data.inviteId !== null) return [data.memberId, data.inviteId];
      return [data.memberId];
    },

    evolve(row, event, id) {
      const { type, data } = event;
      if (type === 'MemberInvited') {
        return {
          id,
          siteId: readSiteId(event.stream),
          kind: 'invite',
          userId: null,
          role: data.role,
          since: new Date(event.at),
          invitedBy: event.actor.id ?? null,
          expiresAt: new Date(data.expiresAt),
        };
      }
      if (type === 'SiteClaimed' || (type === 'MemberAdded' && id === data.memberId)) {
        return {
          id,
          siteId: readSiteId(event.stream),
          kind: 'member',
          userId: data.userId,
          role: type === 'SiteClaimed' ? 'owner' : data.role,
          since: new Date(event.at),
          invitedBy: null,
          expiresAt: null,
        };
      }
      if (type === 'MemberRoleChanged') return row ? { ...row, role: data.role } : null;
      // Delete the row: the member was removed, or the invite was revoked or accepted.
      return null;
    },
  },
);
