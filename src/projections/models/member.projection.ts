import { Column, Entity, In, Index, PrimaryColumn } from 'typeorm';
import { type MemberEvent, memberEvents } from '../../events/site/member.events.js';
import { siteIdOf } from '../../events/site/site.events.js';
import type { Caller } from '../../kernel/command-context.js';
import { readModel } from '../read-model.js';

/** Who has which role on which site, and who was invited to one: owner, members and open invites. */
@Entity('memberships')
@Index('memberships_of_site', ['siteId', 'since'])
export class MembershipRow {
  /** Of the member (`mem_…`) or of the invite (`inv_…`). */
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'site_id' }) siteId!: string;
  @Column('text') kind!: 'member' | 'invite';
  /** Null for an invite: whom it was sent to is kept elsewhere. */
  @Index('memberships_of_user')
  @Column('text', { name: 'user_id', nullable: true })
  userId!: string | null;
  @Column('text') role!: 'owner' | 'editor' | 'viewer';
  /** When the invite was made or the member came to be one. */
  @Column('timestamptz') since!: Date;
  /** Who invited, if that was a signed-in user; null for a member. */
  @Column('text', { name: 'invited_by', nullable: true }) invitedBy!: string | null;
  /** Of an invite. It stays here when its time is over: what counts is the time. */
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
}

/** Which rows are memberships of a user that give a caller rights: to one who acts for them, the chosen ones alone. */
export const membershipsOf = (userId: string, { delegation }: Pick<Caller, 'delegation'>) => ({
  userId,
  kind: 'member' as const,
  ...(delegation?.memberIds && { id: In(delegation.memberIds) }),
});

export const memberships = readModel<MembershipRow, MemberEvent>(
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
          siteId: siteIdOf(event.stream),
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
          siteId: siteIdOf(event.stream),
          kind: 'member',
          userId: data.userId,
          role: type === 'SiteClaimed' ? 'owner' : data.role,
          since: new Date(event.at),
          invitedBy: null,
          expiresAt: null,
        };
      }
      if (type === 'MemberRoleChanged') return row ? { ...row, role: data.role } : null;
      // Removed, revoked, or an invite that was accepted.
      return null;
    },
  },
);
