import { z } from 'zod';
import { type EventOf, upcast } from '../event-type.js';
import { capitalize, withArticle } from '../summary-words.js';
import { siteEventType } from './site-event-type.js';

/**
 * Roles on a site. These events are part of the site's stream and identify users by ID. The email address of an invite
 * is stored in a table, under the invite's ID, so that it can be deleted.
 */
const role = z.enum(['owner', 'editor', 'viewer']);
export type Role = z.output<typeof role>;

const member = { memberId: z.string(), userId: z.string() };

const exampleMember = { memberId: 'mem_01jd4v7h2kpf4s1w8v6y5x3q0n', userId: 'usr_01jd4v7h2kpf4s1w8v6y5x3q0p' };
const exampleInvite = {
  inviteId: 'inv_01jd4v7h2kpf4s1w8v6y5x3q0q',
  role: 'editor',
  expiresAt: '2026-11-27T12:00:00.000Z',
} as const;

/** An anonymous site now has an owner. Its edit token and its expiry are no longer valid. */
export const SiteClaimed = siteEventType('SiteClaimed', z.strictObject(member), {
  example: exampleMember,
  changes: { kind: 'access', done: 'claimed' },
  summary: ({ userId }, { names }) => `Claimed by ${names.person(userId)}`,
  changesRights: true,
});

/** Someone was invited. The invite is open until `expiresAt` (RFC 3339). */
export const MemberInvited = siteEventType(
  'MemberInvited',
  z.strictObject({
    inviteId: z.string(),
    role,
    expiresAt: z.iso.datetime(),
    /** The user on whose rights the invite depends. Null in older events. */
    invitedBy: z.string().nullable(),
  }),
  {
    example: { ...exampleInvite, invitedBy: exampleMember.userId },
    changes: null,
    summary: ({ inviteId, role }, { names }) => `Invited ${names.invited(inviteId) ?? 'someone'} as ${role}`,
  },
  upcast(exampleInvite, ({ inviteId, role, expiresAt }) => ({ inviteId, role, expiresAt, invitedBy: null })),
);

export const InviteRevoked = siteEventType('InviteRevoked', z.strictObject({ inviteId: z.string() }), {
  example: { inviteId: exampleInvite.inviteId },
  changes: null,
  summary: ({ inviteId }, { names }) => {
    const address = names.invited(inviteId);
    return address === null ? 'Revoked the invite' : `Revoked the invite for ${address}`;
  },
});

export const MemberAdded = siteEventType(
  'MemberAdded',
  z.strictObject({
    ...member,
    role,
    /** The accepted invite, or null for the owner of a site that had an owner from the start. */
    inviteId: z.string().nullable(),
  }),
  {
    example: { ...exampleMember, role: 'editor', inviteId: exampleInvite.inviteId },
    changes: null,
    summary: ({ userId, role }, { names }) => `${capitalize(names.person(userId))} joined as ${role}`,
  },
);

export const MemberRoleChanged = siteEventType('MemberRoleChanged', z.strictObject({ ...member, role }), {
  example: { ...exampleMember, role: 'viewer' },
  changes: null,
  summary: ({ userId, role }, { names }) => `${capitalize(names.person(userId))} is now ${withArticle(role)}`,
  changesRights: true,
});

export const MemberRemoved = siteEventType('MemberRemoved', z.strictObject(member), {
  example: exampleMember,
  changes: null,
  summary: ({ userId }, { actor, names }) =>
    `${capitalize(names.person(userId))} ${actor.id === userId ? 'left' : 'was removed'}`,
  changesRights: true,
  removesPerson: true,
});

export const memberEvents = [
  SiteClaimed,
  MemberInvited,
  InviteRevoked,
  MemberAdded,
  MemberRoleChanged,
  MemberRemoved,
] as const;
export type MemberEvent = EventOf<(typeof memberEvents)[number]>;
