import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, later, nobody } from '../../../../../test/support/events/site-examples.js';
import {
  InviteRevoked,
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberRoleChanged,
  type Role,
  SiteClaimed,
} from '../../../../events/site/member.events.js';
import { SiteTakenDown } from '../../../../events/site/site.events.js';
import { site } from '../../site/state/site.state.js';
import { decideLeave, decideLeaveOrDelete } from '../leave/leave.decide.js';
import { decideChangeRole, decideRemove } from './members.decide.js';

const bobs = { memberId: 'mem_bob', userId: 'usr_bob' };
const carls = { memberId: 'mem_carl', userId: 'usr_carl' };
const dans = { memberId: 'mem_dan', userId: 'usr_dan' };
const story = [created, deployed(1), SiteClaimed(bobs)];
const joined = (who: typeof carls, role: Role) => MemberAdded({ ...who, role, inviteId: null });
const carl = { ...nobody, userId: 'usr_carl' };
const change = (memberId: string, role: Role, caller = bob) => ({ memberId, role, context: by(caller) });
const remove = (memberId: string, caller = bob) => ({ memberId, context: by(caller) });

describe('Changing a member’s role', () => {
  it('owners can change a member’s role', () =>
    given(site, ...story, joined(carls, 'viewer'))
      .when(decideChangeRole, change('mem_carl', 'editor'))
      .records(MemberRoleChanged({ ...carls, role: 'editor' })));

  it('records nothing if the member already has the role', () => {
    given(site, ...story, joined(carls, 'editor'))
      .when(decideChangeRole, change('mem_carl', 'editor'))
      .recordsNothing();
    given(site, ...story)
      .when(decideChangeRole, change('mem_bob', 'owner'))
      .recordsNothing();
  });

  it('the role of the last owner can’t be changed', () => {
    given(site, ...story, joined(carls, 'editor'))
      .when(decideChangeRole, change('mem_bob', 'viewer'))
      .refuses('last_owner');
    given(site, ...story, joined(carls, 'owner'))
      .when(decideChangeRole, change('mem_bob', 'viewer'))
      .records(MemberRoleChanged({ ...bobs, role: 'viewer' }));
    given(site, ...story, joined(carls, 'owner'), MemberRoleChanged({ ...bobs, role: 'viewer' }))
      .when(decideChangeRole, change('mem_carl', 'editor', carl))
      .refuses('last_owner');
  });

  it('changing a role is refused for an unknown member ID, and for the ID of a former member', () => {
    given(site, ...story)
      .when(decideChangeRole, change('usr_bob', 'editor'))
      .refuses('not_found');
    given(site, ...story, joined(carls, 'viewer'), MemberRemoved(carls))
      .when(decideChangeRole, change('mem_carl', 'editor'))
      .refuses('not_found');
  });

  it('changing a role is refused unless the caller is an owner, even for the caller’s own role', () => {
    given(site, ...story, joined(carls, 'editor'))
      .when(decideChangeRole, change('mem_carl', 'owner', carl))
      .refuses('forbidden');
    given(site, ...story)
      .when(decideChangeRole, change('mem_bob', 'editor', nobody))
      .refuses('unauthenticated');
    given(site, ...story)
      .when(decideChangeRole, change('mem_bob', 'editor', ann))
      .refuses('edit_token_invalid');
    given(site).when(decideChangeRole, change('mem_bob', 'editor')).refuses('site_not_found');
  });
});

const invited = (inviteId: string, invitedBy: string | null) =>
  MemberInvited({ inviteId, role: 'owner', expiresAt: later, invitedBy });

describe('Open invites sent by an owner', () => {
  const sent = [joined(carls, 'owner'), invited('inv_carl', 'usr_carl'), invited('inv_bob', 'usr_bob')];
  const voided = InviteRevoked({ inviteId: 'inv_carl' });

  it('open invites become void when the owner who sent them is removed, leaves or is demoted', () => {
    given(site, ...story, ...sent)
      .when(decideRemove, remove('mem_carl'))
      .records(MemberRemoved(carls), voided);
    given(site, ...story, ...sent)
      .when(decideRemove, remove('mem_carl', carl))
      .records(MemberRemoved(carls), voided);
    given(site, ...story, ...sent)
      .when(decideChangeRole, change('mem_carl', 'editor'))
      .records(MemberRoleChanged({ ...carls, role: 'editor' }), voided);
    for (const decide of [decideLeave, decideLeaveOrDelete]) {
      given(site, ...story, ...sent)
        .when(decide, { userId: 'usr_carl' })
        .records(MemberRemoved(carls), voided);
    }
  });

  it('invites without a recorded sender become void when an owner who might have sent them is removed', () =>
    given(site, ...story, joined(carls, 'owner'), invited('inv_old', null))
      .when(decideRemove, remove('mem_carl'))
      .records(MemberRemoved(carls), InviteRevoked({ inviteId: 'inv_old' })));

  it('invites without a recorded sender stay valid when a member who can’t have sent them is removed', () =>
    given(site, ...story, joined(carls, 'editor'), invited('inv_old', null))
      .when(decideRemove, remove('mem_carl'))
      .records(MemberRemoved(carls)));
});

describe('Removing a member', () => {
  it('owners of a site can remove members', () =>
    given(site, ...story, joined(carls, 'editor'))
      .when(decideRemove, remove('mem_carl'))
      .records(MemberRemoved(carls)));

  it.each<Role>(['owner', 'editor', 'viewer'])('members with the role %s can remove themselves', (role) =>
    given(site, ...story, joined(carls, role))
      .when(decideRemove, remove('mem_carl', carl))
      .records(MemberRemoved(carls)),
  );

  it('the last owner can’t be removed', () => {
    given(site, ...story, joined(carls, 'editor'))
      .when(decideRemove, remove('mem_bob'))
      .refuses('last_owner');
    given(site, ...story, joined(carls, 'owner'), MemberRemoved(bobs))
      .when(decideRemove, remove('mem_carl', carl))
      .refuses('last_owner');
  });

  it('a member can be removed only once', () =>
    given(site, ...story, joined(carls, 'editor'), MemberRemoved(carls))
      .when(decideRemove, remove('mem_carl'))
      .refuses('not_found'));

  it('a member who is not an owner learns nothing about other members or their IDs', () => {
    for (const memberId of ['mem_dan', 'mem_nobody']) {
      given(site, ...story, joined(carls, 'editor'), joined(dans, 'viewer'))
        .when(decideRemove, remove(memberId, carl))
        .refuses('forbidden');
    }
  });

  it('removing a member is refused for callers who are not owners, and for a site that was taken down', () => {
    given(site, ...story)
      .when(decideRemove, remove('mem_bob', carl))
      .refuses('forbidden');
    given(site, ...story)
      .when(decideRemove, remove('mem_bob', nobody))
      .refuses('unauthenticated');
    given(site, ...story, SiteTakenDown({ reason: 'x' }))
      .when(decideRemove, remove('mem_bob'))
      .refuses('taken_down');
  });
});
