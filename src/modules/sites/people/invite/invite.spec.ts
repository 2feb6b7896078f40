import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import {
  ann,
  bob,
  by,
  created,
  deployed,
  later,
  nobody,
  noon,
} from '../../../../../test/support/events/site-examples.js';
import { InviteRevoked, MemberAdded, MemberInvited, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteTakenDown } from '../../../../events/site/site.events.js';
import { MAX_INVITES } from '../../site/state/people.state.js';
import { site } from '../../site/state/site.state.js';
import { decideInvite, decideRevoke } from './invite.decide.js';

const bobs = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl = { memberId: 'mem_carl', userId: 'usr_carl' };
const invited = (inviteId: string, expiresAt = later) =>
  MemberInvited({ inviteId, role: 'viewer', expiresAt, invitedBy: 'usr_bob' });
const invitation = { inviteId: 'inv_new', role: 'editor', expiresAt: later, userId: null, earlier: [] } as const;
const asked = MemberInvited({ inviteId: 'inv_new', role: 'editor', expiresAt: later, invitedBy: 'usr_bob' });

describe('Inviting a user', () => {
  it('owners can invite users with any role', () => {
    for (const role of ['owner', 'editor', 'viewer'] as const) {
      given(site, ...bobs)
        .when(decideInvite, { ...invitation, role, context: by(bob) })
        .records(MemberInvited({ inviteId: 'inv_new', role, expiresAt: later, invitedBy: 'usr_bob' }));
    }
  });

  it('a new invite replaces an earlier invite to the same address', () =>
    given(site, ...bobs, invited('inv_old'), invited('inv_other'))
      .when(decideInvite, { ...invitation, earlier: ['inv_old', 'inv_gone'], context: by(bob) })
      .records(InviteRevoked({ inviteId: 'inv_old' }), asked));

  it('a new invite does not revoke an earlier invite that has already expired', () =>
    given(site, ...bobs, invited('inv_old', noon))
      .when(decideInvite, { ...invitation, earlier: ['inv_old'], context: by(bob) })
      .records(asked));

  it('inviting a member is refused, and the refusal names the member and their role', () =>
    given(site, ...bobs, MemberAdded({ ...carl, role: 'viewer', inviteId: null }))
      .when(decideInvite, { ...invitation, userId: 'usr_carl', context: by(bob) })
      .refuses('already_member', {
        faults: [{ path: 'email', message: 'is the address of an existing member (mem_carl, viewer)' }],
      }));

  it('a known user who is not a member can be invited, even if their ID is the name of a built-in property', () => {
    for (const userId of ['usr_carl', 'constructor', '__proto__']) {
      given(site, ...bobs)
        .when(decideInvite, { ...invitation, userId, context: by(bob) })
        .records(asked);
    }
  });

  it('inviting is refused at the limit of open invites; expired and replaced invites do not count', () => {
    const full = Array.from({ length: MAX_INVITES }, (_, n) => invited(`inv_${n}`));
    given(site, ...bobs, ...full)
      .when(decideInvite, { ...invitation, context: by(bob) })
      .refuses('quota_exceeded');
    given(site, ...bobs, ...full)
      .when(decideInvite, { ...invitation, earlier: ['inv_7'], context: by(bob) })
      .records(InviteRevoked({ inviteId: 'inv_7' }), asked);
    given(site, ...bobs, invited('inv_lapsed', noon), ...full.slice(1))
      .when(decideInvite, { ...invitation, context: by(bob) })
      .records(asked);
  });

  it('only owners can invite, and only to an existing site that has an owner and was not taken down', () => {
    const invite = (caller: typeof bob) => ({ ...invitation, context: by(caller) });
    given(site).when(decideInvite, invite(bob)).refuses('site_not_found');
    given(site, ...bobs, SiteTakenDown({ reason: 'x' }))
      .when(decideInvite, invite(bob))
      .refuses('taken_down');
    given(site, ...bobs)
      .when(decideInvite, invite(nobody))
      .refuses('unauthenticated');
    given(site, ...bobs, MemberAdded({ ...carl, role: 'editor', inviteId: null }))
      .when(decideInvite, invite({ ...nobody, userId: 'usr_carl' }))
      .refuses('forbidden');
    given(site, created, deployed(1)).when(decideInvite, invite(ann)).refuses('forbidden');
  });
});

describe('Revoking an invite', () => {
  const revoke = { inviteId: 'inv_old', context: by(bob) };

  it('revoking an invite makes it void', () => {
    given(site, ...bobs, invited('inv_old'))
      .when(decideRevoke, revoke)
      .records(InviteRevoked({ inviteId: 'inv_old' }));
    expect(stateAfter(site, [...bobs, invited('inv_old'), InviteRevoked({ inviteId: 'inv_old' })])).toMatchObject({
      invites: [],
    });
  });

  it('revoking is refused if the invite was already revoked or accepted, was never sent or has expired', () => {
    for (const history of [
      [],
      [invited('inv_old'), InviteRevoked({ inviteId: 'inv_old' })],
      [invited('inv_old'), MemberAdded({ ...carl, role: 'viewer', inviteId: 'inv_old' })],
      [invited('inv_old', noon)],
    ]) {
      given(site, ...bobs, ...history)
        .when(decideRevoke, revoke)
        .refuses('not_found');
    }
  });

  it('revoking an invite is refused for callers who are not owners', () =>
    given(site, ...bobs, invited('inv_old'))
      .when(decideRevoke, { ...revoke, context: by({ ...nobody, userId: 'usr_carl' }) })
      .refuses('forbidden'));
});
