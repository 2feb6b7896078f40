import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../test/support/events/given-when.js';
import { by, created, deployed, nobody } from '../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberRemoved, SiteClaimed } from '../../../events/site/member.events.js';
import { SiteAccessSet } from '../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import type { Caller } from '../../../kernel/command-context.js';
import type { DelegatedRole } from '../../../kernel/rights/delegation.js';
import { decideRemove } from '../people/members/members.decide.js';
import { assertCanEdit, assertCanRead, assertIsOwner } from './assert-access.rule.js';
import { assertCanCreateSite } from './assert-can-create-site.js';
import { site } from './state/site.state.js';

const bobs = { memberId: 'mem_bob', userId: 'usr_bob' };
const claimed: SiteEvent[] = [created, deployed(1), SiteClaimed(bobs)];
const bobsSite = stateAfter(site, claimed);
const hidden = stateAfter(site, [...claimed, SiteAccessSet({ visibility: 'members', passwordId: null })]);

/** A connected app that acts for Bob, who owns the site. */
const agent = (role: DelegatedRole, memberIds: readonly string[] | null = null): Caller => ({
  ...nobody,
  userId: 'usr_bob',
  delegation: { kind: 'program' as const, id: 'grt_1', clientName: 'An agent', role, memberIds },
});

const refusal = (code: string) => expect.objectContaining({ name: 'Refusal', code });

describe('A connected app that acts for an owner', () => {
  it('a connected app can read with any role', () =>
    expect(assertCanRead(bobsSite, by(agent('viewer')))).toBe(bobsSite));

  it('a connected app can’t change anything with the viewer role', () => {
    expect(() => assertCanEdit(bobsSite, by(agent('viewer')))).toThrow(refusal('forbidden'));
    expect(() => assertIsOwner(bobsSite, by(agent('viewer')))).toThrow(refusal('forbidden'));
  });

  it('a connected app with the editor role can deploy, but not act as an owner', () => {
    expect(assertCanEdit(bobsSite, by(agent('editor')))).toBe(bobsSite);
    expect(() => assertIsOwner(bobsSite, by(agent('editor')))).toThrow(refusal('forbidden'));
  });

  it('a connected app with the owner role has all rights of the owner', () => {
    expect(assertIsOwner(bobsSite, by(agent('owner')))).toBe(bobsSite);
  });

  it('a connected app has no role on a site that was not selected, and can’t learn that a hidden site exists', () => {
    expect(() => assertCanRead(bobsSite, by(agent('owner', ['mem_other'])))).toThrow(refusal('forbidden'));
    expect(() => assertCanRead(hidden, by(agent('owner', ['mem_other'])))).toThrow(refusal('site_not_found'));
    expect(assertCanRead(hidden, by(agent('viewer', ['mem_bob'])))).toBe(hidden);
  });

  it('a connected app has no role on a site that the user has left, even if the user joins again', () => {
    const carls = { memberId: 'mem_carl', userId: 'usr_carl' };
    const left: SiteEvent[] = [
      ...claimed,
      MemberAdded({ ...carls, role: 'owner', inviteId: null }),
      MemberRemoved(bobs),
    ];
    const chosen = by(agent('editor', ['mem_bob']));
    expect(() => assertCanEdit(stateAfter(site, left), chosen)).toThrow(refusal('forbidden'));
    const back = MemberAdded({ ...bobs, memberId: 'mem_bob_again', role: 'owner', inviteId: null });
    expect(() => assertCanEdit(stateAfter(site, [...left, back]), chosen)).toThrow(refusal('forbidden'));
  });

  it('a connected app never has more rights than the user', () => {
    const viewer = { memberId: 'mem_dora', userId: 'usr_dora' };
    const state = stateAfter(site, [...claimed, MemberAdded({ ...viewer, role: 'viewer', inviteId: null })]);
    const doras = by({ ...agent('owner'), userId: 'usr_dora' });
    expect(() => assertCanEdit(state, doras)).toThrow(refusal('forbidden'));
  });

  it('a connected app can’t end the user’s membership', () => {
    const editor = { memberId: 'mem_dora', userId: 'usr_dora' };
    const context = by({ ...agent('editor'), userId: 'usr_dora' });
    given(site, ...claimed, MemberAdded({ ...editor, role: 'editor', inviteId: null }))
      .when(decideRemove, { context, memberId: 'mem_dora' })
      .refuses('forbidden');
  });

  it('a connected app can create sites unless it is limited to selected sites or to reading', () => {
    expect(() => assertCanCreateSite(agent('editor'))).not.toThrow();
    expect(() => assertCanCreateSite(agent('viewer'))).toThrow(refusal('forbidden'));
    expect(() => assertCanCreateSite(agent('owner', ['mem_bob']))).toThrow(refusal('forbidden'));
  });
});
