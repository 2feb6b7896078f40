import { describe, expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed, digestOf, noon, rolledBack } from '../../../../../test/support/events/site-examples.js';
import {
  InviteRevoked,
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberRoleChanged,
  type Role,
  SiteClaimed,
} from '../../../../events/site/member.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { AccessTokenIssued, AccessTokenRevoked, PublisherRemoved } from '../../../../events/site/token.events.js';
import { evolvePeople, MAX_INVITES, noPeople } from './people.state.js';

const anonymous = { ...noPeople, editTokenHash: digestOf('a') };
const folded = (...history: SiteEvent[]) => partAfter(evolvePeople, anonymous, ...history);

const ann = { memberId: 'mem_a', userId: 'usr_a' };
const bob = { memberId: 'mem_b', userId: 'usr_b' };
const claimed = SiteClaimed(ann);
const added = (role: Role, inviteId: string | null = 'inv_1') => MemberAdded({ ...bob, role, inviteId });
const became = (role: Role) => MemberRoleChanged({ ...bob, role });
const invited = (n: number) =>
  MemberInvited({ inviteId: `inv_${n}`, role: 'editor', expiresAt: noon, invitedBy: 'usr_a' });

describe('The people of a site', () => {
  it('claiming a site makes one user its owner and invalidates its edit token', () =>
    expect(folded(claimed)).toMatchObject({
      editTokenHash: null,
      members: { usr_a: { memberId: 'mem_a', role: 'owner' } },
      owners: ['usr_a'],
    }));

  it('each member has the role that the member was last given', () => {
    expect(folded(claimed, added('viewer'), became('editor')).members.usr_b).toEqual({
      memberId: 'mem_b',
      role: 'editor',
    });
    expect(folded(claimed, added('viewer'), MemberRemoved(bob)).members).toEqual(folded(claimed).members);
  });

  it('owners are listed in the order in which they became owners', () => {
    expect(folded(claimed, added('owner')).owners).toEqual(['usr_a', 'usr_b']);
    expect(folded(claimed, added('owner'), became('owner')).owners).toEqual(['usr_a', 'usr_b']);
    expect(folded(claimed, added('owner'), MemberRemoved(ann)).owners).toEqual(['usr_b']);
    expect(folded(added('owner'), claimed, became('editor'), became('owner')).owners).toEqual(['usr_a', 'usr_b']);
  });

  it('an invite is listed until it is accepted or revoked', () => {
    expect(folded(invited(1), invited(2)).invites).toMatchObject([{ inviteId: 'inv_1' }, { inviteId: 'inv_2' }]);
    expect(folded(invited(1), invited(2), added('editor')).invites).toMatchObject([{ inviteId: 'inv_2' }]);
    expect(folded(invited(1), InviteRevoked({ inviteId: 'inv_1' })).invites).toEqual([]);
    expect(folded(invited(1), added('editor', null)).invites).toMatchObject([{ inviteId: 'inv_1' }]);
  });

  it('the oldest invite is dropped from the list when there are more invites than allowed', () => {
    const { invites } = folded(...Array.from({ length: MAX_INVITES + 1 }, (_, n) => invited(n)));
    expect(invites).toHaveLength(MAX_INVITES);
    expect(invites[0]?.inviteId).toBe('inv_1');
  });

  it('a site’s state counts how often someone lost the right to deploy', () => {
    const count = (...history: SiteEvent[]) => folded(...history).endedRights;
    const token = AccessTokenIssued({ tokenId: 'tok_1', memberId: 'mem_a', role: 'editor', expiresAt: null });
    expect(count(deployed(1), deployed(2), rolledBack(1, 2))).toBe(0);
    expect(count(claimed)).toBe(1);
    expect(count(claimed, added('editor'), token)).toBe(1);
    expect(count(claimed, added('editor'), MemberRemoved(bob))).toBe(2);
    expect(count(claimed, added('viewer'), MemberRemoved(bob))).toBe(1);
    expect(count(claimed, added('viewer'), became('owner'), became('editor'), became('viewer'))).toBe(3);
    expect(count(claimed, token, AccessTokenRevoked({ tokenId: 'tok_1' }))).toBe(2);
    expect(count(claimed, PublisherRemoved({ publisherId: 'pub_1' }))).toBe(2);
  });

  it('other events do not change the people of a site', () => expect(evolvePeople(anonymous, deployed(1))).toBeNull());
});
