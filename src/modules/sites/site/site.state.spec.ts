import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../../test/support/events/given-when.js';
import { created, deployed, rolledBack } from '../../../../test/support/events/site-examples.js';
import {
  MemberAdded,
  MemberRemoved,
  MemberRoleChanged,
  type Role,
  SiteClaimed,
} from '../../../events/site/member.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import { AccessTokenIssued, AccessTokenRevoked, PublisherRemoved } from '../../../events/site/token.events.js';
import { site } from './site.state.js';

describe('What the rules know of a site', () => {
  const live = (...history: SiteEvent[]) => {
    const state = stateAfter(site, [created, ...history]);
    return state.status === 'live' ? state.live?.deployId : state.status;
  };

  it('is nothing before it was created', () => expect(stateAfter(site, [])).toEqual({ status: 'unknown' }));

  it('is which deploy is live, after deploys and rollbacks', () => {
    expect(live()).toBeUndefined();
    expect(live(deployed(1), deployed(2))).toBe('dep_2');
    expect(live(deployed(1), deployed(2), rolledBack(1, 2))).toBe('dep_1');
    expect(live(deployed(1), deployed(2), rolledBack(1, 2), deployed(3))).toBe('dep_3');
  });

  it('keeps every deploy, whatever is live', () => {
    const state = stateAfter(site, [created, deployed(1), deployed(2), rolledBack(1, 2)]);
    expect(state).toMatchObject({ deploys: [{ deployId: 'dep_1' }, { deployId: 'dep_2' }] });
  });

  it('is left as it is by an event of a newer version of the product', () => {
    const before = stateAfter(site, [created, deployed(1)]);
    const newer: SiteEvent = JSON.parse('{"type":"SiteRepainted","data":{}}');
    expect(site.evolve(before, newer)).toBe(before);
  });

  it('counts the rights to deploy that have ended', () => {
    const count = (...history: SiteEvent[]) => {
      const state = stateAfter(site, [created, ...history]);
      return state.status === 'live' ? state.endedRights : null;
    };
    const ann = { memberId: 'mem_a', userId: 'usr_a' };
    const bob = { memberId: 'mem_b', userId: 'usr_b' };
    const claimed = SiteClaimed(ann);
    const added = (role: Role) => MemberAdded({ ...bob, role, inviteId: 'inv_1' });
    const became = (role: Role) => MemberRoleChanged({ ...bob, role });
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
});
