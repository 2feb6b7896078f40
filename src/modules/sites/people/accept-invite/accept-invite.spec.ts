import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { created, deployed, later, noon } from '../../../../../test/support/events/site-examples.js';
import {
  InviteRevoked,
  MemberAdded,
  MemberInvited,
  MemberRoleChanged,
  type Role,
  SiteClaimed,
} from '../../../../events/site/member.events.js';
import { SiteTakenDown } from '../../../../events/site/site.events.js';
import { site } from '../../site/state/site.state.js';
import { decideAccept } from './accept-invite.decide.js';

const bobs = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl = { memberId: 'mem_carl', userId: 'usr_carl' };
const invited = (role: Role = 'editor') =>
  MemberInvited({ inviteId: 'inv_1', role, expiresAt: later, invitedBy: 'usr_bob' });
const accept = { inviteId: 'inv_1', ...carl, context: { at: noon } };
const joined = MemberAdded({ ...carl, role: 'editor', inviteId: 'inv_1' });

describe('Accepting an invite', () => {
  it('accepting an invite makes the user a member with the offered role, and uses up the invite', () => {
    given(site, ...bobs, invited())
      .when(decideAccept, accept)
      .records(joined);
    expect(stateAfter(site, [...bobs, invited(), joined])).toMatchObject({
      invites: [],
      members: { usr_carl: { memberId: 'mem_carl', role: 'editor' } },
    });
  });

  it('an invite can be accepted once, and only the user who accepted it can repeat the request', () => {
    given(site, ...bobs, invited(), joined)
      .when(decideAccept, { ...accept, memberId: 'mem_again' })
      .records();
    given(site, ...bobs, invited(), joined)
      .when(decideAccept, { ...accept, memberId: 'mem_again', userId: 'usr_dora' })
      .refuses('invalid_token');
  });

  it.each<[string, Role, Role, 'raised' | 'kept']>([
    ['raises the role of a viewer', 'viewer', 'editor', 'raised'],
    ['raises the role of an editor', 'editor', 'owner', 'raised'],
    ['keeps the role of an editor', 'editor', 'editor', 'kept'],
    ['keeps the role of an owner', 'owner', 'viewer', 'kept'],
  ])('accepting an invite %s who joined in the meantime', (_, has, offered, outcome) => {
    const accepted = InviteRevoked({ inviteId: 'inv_1' });
    const raised = MemberRoleChanged({ ...carl, role: offered });
    given(site, ...bobs, MemberAdded({ ...carl, role: has, inviteId: null }), invited(offered))
      .when(decideAccept, { ...accept, memberId: 'mem_unused' })
      .records(...(outcome === 'raised' ? [raised, accepted] : [accepted]));
  });

  it('accepting is refused if the invite has expired or was revoked, or if the site is missing or taken down', () => {
    given(site, ...bobs, invited(), InviteRevoked({ inviteId: 'inv_1' }))
      .when(decideAccept, accept)
      .refuses('invalid_token');
    given(site, ...bobs, invited())
      .when(decideAccept, { ...accept, context: { at: later } })
      .refuses('invalid_token');
    given(site, ...bobs, invited(), SiteTakenDown({ reason: 'x' }))
      .when(decideAccept, accept)
      .refuses('taken_down');
    given(site).when(decideAccept, accept).refuses('site_not_found');
  });
});
