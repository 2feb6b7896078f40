import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { catalogue } from '../catalogue.js';
import { memberEvents } from './member.events.js';

const member = { memberId: 'mem_01jd4v7h2kpf4s1w8v6y5x3q0n', userId: 'usr_01jd4v7h2kpf4s1w8v6y5x3q0p' };
const inviteId = 'inv_01jd4v7h2kpf4s1w8v6y5x3q0q';

describe('Member events', () => {
  storedEventContract(memberEvents, {
    SiteClaimed: [member],
    MemberInvited: [
      { inviteId, role: 'editor', expiresAt: '2026-11-27T12:00:00.000Z' },
      { inviteId, role: 'editor', expiresAt: '2026-11-27T12:00:00.000Z', invitedBy: member.userId },
    ],
    InviteRevoked: [{ inviteId }],
    MemberAdded: [{ ...member, role: 'editor', inviteId }],
    MemberRoleChanged: [{ ...member, role: 'viewer' }],
    MemberRemoved: [member],
  });

  it('can record an owner who was not invited', () =>
    expect(catalogue.write('MemberAdded', { ...member, role: 'owner', inviteId: null })).toBe(1));

  it.each(['MemberInvited', 'MemberAdded', 'SiteClaimed'])('of the type %s contain no e-mail address', (type) =>
    expect(() => catalogue.write(type, { ...member, inviteId, role: 'editor', email: 'ann@example.org' })).toThrow(
      /email/,
    ),
  );
});
