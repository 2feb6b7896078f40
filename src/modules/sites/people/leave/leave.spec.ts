import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { created, deployed } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberRemoved, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { SiteTakenDown } from '../../../../events/site/site.events.js';
import { site } from '../../site/state/site.state.js';
import { decideLeave, decideLeaveOrDelete, isLastOwner } from './leave.decide.js';

const ann = { memberId: 'mem_ann', userId: 'usr_ann' };
const bob = { memberId: 'mem_bob', userId: 'usr_bob' };
const claimed = [created, deployed(1), SiteClaimed(ann)];
const joined = (role: 'owner' | 'editor' | 'viewer') => MemberAdded({ ...bob, role, inviteId: null });

describe('Leaving a site', () => {
  it('leaving a site ends the member’s role', () =>
    given(site, ...claimed, joined('editor'))
      .when(decideLeave, bob)
      .records(MemberRemoved(bob)));

  it('an owner can leave a site that has another owner', () =>
    given(site, ...claimed, joined('owner'))
      .when(decideLeave, ann)
      .records(MemberRemoved(ann)));

  it('the last owner can’t leave, even if other members remain', () =>
    given(site, ...claimed, joined('editor'))
      .when(decideLeave, ann)
      .refuses('last_owner'));

  it('if two owners leave at the same time, the slower one is refused', () =>
    given(site, ...claimed, joined('owner'), MemberRemoved(ann))
      .when(decideLeave, bob)
      .refuses('last_owner'));

  it('records nothing if the user has already left', () =>
    given(site, ...claimed, joined('editor'), MemberRemoved(bob))
      .when(decideLeave, bob)
      .recordsNothing());

  it('leaving records nothing for an unknown site, a non-member, or a user ID that names a built-in property', () => {
    given(site).when(decideLeave, ann).recordsNothing();
    given(site, ...claimed)
      .when(decideLeave, bob)
      .recordsNothing();
    given(site, ...claimed)
      .when(decideLeave, { userId: 'constructor' })
      .recordsNothing();
  });

  it('the last owner can’t leave a site that was taken down, because the site is still theirs', () => {
    const takenDown = stateAfter(site, [...claimed, SiteTakenDown({ reason: 'x' })]);
    expect(takenDown.status === 'live' && isLastOwner(takenDown, ann)).toBe(true);
  });
});

describe('Leaving all sites when an account is deleted', () => {
  it('a site is deleted if its last owner deletes their account', () =>
    given(site, ...claimed, joined('editor'))
      .when(decideLeaveOrDelete, ann)
      .records(SiteDeleted({})));

  it('a site that was taken down is not deleted if its last owner deletes their account', () =>
    given(site, ...claimed, SiteTakenDown({ reason: 'x' }))
      .when(decideLeaveOrDelete, ann)
      .records(MemberRemoved(ann)));

  it('a site that still has another owner is kept if a member deletes their account', () => {
    given(site, ...claimed, joined('owner'))
      .when(decideLeaveOrDelete, ann)
      .records(MemberRemoved(ann));
    given(site, ...claimed, joined('owner'), MemberRemoved(bob))
      .when(decideLeaveOrDelete, ann)
      .records(SiteDeleted({}));
    given(site, ...claimed, joined('editor'))
      .when(decideLeaveOrDelete, bob)
      .records(MemberRemoved(bob));
  });

  it('records nothing if the user has already left', () => {
    given(site, ...claimed, SiteDeleted({}))
      .when(decideLeaveOrDelete, ann)
      .recordsNothing();
    given(site).when(decideLeaveOrDelete, ann).recordsNothing();
  });
});
