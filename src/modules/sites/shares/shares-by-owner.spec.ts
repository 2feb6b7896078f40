import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../../test/support/events/given-when.js';
import { created } from '../../../../test/support/events/site-examples.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import { MemberAdded, type Role } from '../../../events/site/member.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import { type Site, site } from '../site/site.state.js';
import { longestStandingOwner } from './shares-by-owner.js';

describe('The owner that a site counts towards', () => {
  const siteOf = (...members: readonly (readonly [userId: string, memberId: string, role: Role])[]) =>
    stateAfter<Site, SiteEvent>(site, [
      created,
      ...members.map(([userId, memberId, role]) => MemberAdded({ userId, memberId, role, inviteId: null })),
    ]);

  it('is the one who has been a member for longest', () => {
    const owners = siteOf(['usr_b', 'mem_3', 'owner'], ['usr_c', 'mem_1', 'editor'], ['usr_a', 'mem_2', 'owner']);
    expect(longestStandingOwner(owners)).toBe('usr_a');
  });

  it('is nobody on a site without an owner', () => {
    expect(longestStandingOwner(siteOf())).toBeNull();
    expect(longestStandingOwner({ status: 'unknown' })).toBeNull();
  });

  it('is known by the order of IDs, which is that of time', async () => {
    const ids = new RandomIds();
    const first = ids.make('mem');
    const began = Date.now();
    while (Date.now() === began);
    expect(first < ids.make('mem')).toBe(true);
  });
});
