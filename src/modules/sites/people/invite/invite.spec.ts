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
import { MOST_INVITES } from '../../site/people.state.js';
import { site } from '../../site/site.state.js';
import { decideInvite, decideRevoke } from './invite.decide.js';

const bobs = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl = { memberId: 'mem_carl', userId: 'usr_carl' };
const invited = (inviteId: string, expiresAt = later) =>
  MemberInvited({ inviteId, role: 'viewer', expiresAt, invitedBy: 'usr_bob' });
const invitation = { inviteId: 'inv_new', role: 'editor', expiresAt: later, userId: null, earlier: [] } as const;
const asked = MemberInvited({ inviteId: 'inv_new', role: 'editor', expiresAt: later, invitedBy: 'usr_bob' });

describe('Inviting somebody', () => {
  it('is an owner’s to do, for any role', () => {
    for (const role of ['owner', 'editor', 'viewer'] as const) {
      given(site, ...bobs)
        .when(decideInvite, { ...invitation, role, context: by(bob) })
        .records(MemberInvited({ inviteId: 'inv_new', role, expiresAt: later, invitedBy: 'usr_bob' }));
    }
  });

  it('takes the place of the invite that the address had', () =>
    given(site, ...bobs, invited('inv_old'), invited('inv_other'))
      .when(decideInvite, { ...invitation, earlier: ['inv_old', 'inv_gone'], context: by(bob) })
      .records(InviteRevoked({ inviteId: 'inv_old' }), asked));

  it('needs to void nothing that was over by itself', () =>
    given(site, ...bobs, invited('inv_old', noon))
      .when(decideInvite, { ...invitation, earlier: ['inv_old'], context: by(bob) })
      .records(asked));

  it('is refused for a member, and says who it is and what they are', () =>
    given(site, ...bobs, MemberAdded({ ...carl, role: 'viewer', inviteId: null }))
      .when(decideInvite, { ...invitation, userId: 'usr_carl', context: by(bob) })
      .refuses('invalid_request', {
        faults: [{ path: 'email', message: 'is the address of an existing member (mem_carl, viewer)' }],
      }));

  it('goes on for somebody who is known and no member, and whose id is the name of something every object has', () => {
    for (const userId of ['usr_carl', 'constructor', '__proto__']) {
      given(site, ...bobs)
        .when(decideInvite, { ...invitation, userId, context: by(bob) })
        .records(asked);
    }
  });

  it('is refused while too many are open; the lapsed do not count, and a replaced one makes room', () => {
    const full = Array.from({ length: MOST_INVITES }, (_, n) => invited(`inv_${n}`));
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

  it('is not for others, nor for a site that is nobody’s or gone', () => {
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

  it('makes it void', () => {
    given(site, ...bobs, invited('inv_old'))
      .when(decideRevoke, revoke)
      .records(InviteRevoked({ inviteId: 'inv_old' }));
    expect(stateAfter(site, [...bobs, invited('inv_old'), InviteRevoked({ inviteId: 'inv_old' })])).toMatchObject({
      invites: [],
    });
  });

  it('finds none that was revoked, accepted, lapsed or never sent', () => {
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

  it('is not for others', () =>
    given(site, ...bobs, invited('inv_old'))
      .when(decideRevoke, { ...revoke, context: by({ ...nobody, userId: 'usr_carl' }) })
      .refuses('forbidden'));
});
