import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody, stranger } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../../../events/site/member.events.js';
import { ConnectorTokenIssued, ConnectorTokenRevoked } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { decideChangeRole, decideRemove } from '../../people/members/members.decide.js';
import { site } from '../../site/state/site.state.js';
import {
  canUseToken,
  decideEndUnowned,
  decideIssueToken,
  decideRevokeToken,
  MAX_CONNECTOR_TOKENS,
} from './connector-token.decide.js';

const story = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const editor = MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role: 'editor', inviteId: null });
const issue = (n = 1, caller = bob) => ({ context: by(caller), tokenId: `ctk_${n}`, name: `machine ${n}` });
const revoke = (n = 1, caller = bob) => ({ context: by(caller), tokenId: `ctk_${n}` });
const issued = (n = 1) => ConnectorTokenIssued({ tokenId: `ctk_${n}`, name: `machine ${n}` });
const revoked = (n = 1) => ConnectorTokenRevoked({ tokenId: `ctk_${n}`, name: `machine ${n}` });

describe('A connector token', () => {
  it('a connector token is issued, and issuing the same token again records nothing', () => {
    given(site, ...story)
      .when(decideIssueToken, issue())
      .records(issued());
    given(site, ...story, issued())
      .when(decideIssueToken, issue())
      .recordsNothing();
  });

  it('a connector token can be revoked only once', () => {
    given(site, ...story, issued(1), issued(2))
      .when(decideRevokeToken, revoke(1))
      .records(revoked(1));
    given(site, ...story, issued(1), revoked(1))
      .when(decideRevokeToken, revoke(1))
      .refuses('not_found');
    given(site, ...story)
      .when(decideRevokeToken, revoke(1))
      .refuses('not_found');
  });

  it('a connector token is not issued at the limit; revoked tokens do not count towards it', () => {
    const many = Array.from({ length: MAX_CONNECTOR_TOKENS }, (_, n) => issued(n));
    given(site, ...story, ...many)
      .when(decideIssueToken, issue(MAX_CONNECTOR_TOKENS))
      .refuses('quota_exceeded');
    given(site, ...story, ...many, revoked(3))
      .when(decideIssueToken, issue(MAX_CONNECTOR_TOKENS))
      .records(issued(MAX_CONNECTOR_TOKENS));
  });

  it.each<[string, Caller, RefusalCode]>([
    ['an editor', carl, 'forbidden'],
    ['a stranger', { ...nobody, userId: 'usr_dan' }, 'forbidden'],
    ['a former edit token', ann, 'edit_token_invalid'],
    ['another site’s edit token', stranger, 'edit_token_invalid'],
    ['a caller without credentials', nobody, 'unauthenticated'],
  ])('a connector token can’t be issued or revoked by %s', (_, caller, code) => {
    given(site, ...story, editor)
      .when(decideIssueToken, issue(1, caller))
      .refuses(code);
    given(site, ...story, editor, issued())
      .when(decideRevokeToken, revoke(1, caller))
      .refuses(code);
  });

  describe('A connector token after its creator’s membership changes', () => {
    const dora = MemberAdded({ memberId: 'mem_dora', userId: 'usr_dora', role: 'owner', inviteId: null });
    const againAs = (memberId: string) => MemberAdded({ ...dora.data, memberId });
    const changed = (role: 'owner' | 'editor') => MemberRoleChanged({ memberId: 'mem_dora', userId: 'usr_dora', role });
    const removed = MemberRemoved({ memberId: 'mem_dora', userId: 'usr_dora' });
    const issuedBy = (id: string, n: number): SiteEvent => Object.assign(issued(n), { actor: { kind: 'user', id } });
    const history = [...story, dora, issuedBy('usr_bob', 1), issuedBy('usr_dora', 2), issuedBy('usr_dora', 3)];
    const its = { context: by(bob), memberId: 'mem_dora' };

    it('a connector token is revoked if its creator is demoted or removed', () => {
      given(site, ...history)
        .when(decideChangeRole, { ...its, role: 'editor' })
        .records(changed('editor'), revoked(2), revoked(3));
      given(site, ...history)
        .when(decideRemove, its)
        .records(removed, revoked(2), revoked(3));
      given(site, ...history, revoked(2))
        .when(decideRemove, its)
        .records(removed, revoked(3));
    });

    it.each<[string, readonly SiteEvent[]]>([
      ['had been demoted', [changed('editor')]],
      ['had been removed', [removed]],
      ['had been removed and had joined again', [removed, againAs('mem_dora_2')]],
    ])('an upgrade of the service ends a connector token if its creator %s', (_, before) => {
      given(site, ...history, ...before)
        .when(decideEndUnowned, {})
        .records(revoked(2), revoked(3));
      const state = stateAfter(site, [...history, ...before]);
      expect([1, 2, 3, 4].map((n) => canUseToken(state, `ctk_${n}`))).toEqual([true, false, false, false]);
    });

    it('an upgrade of the service keeps a connector token if its creator was demoted but is an owner again', () => {
      given(site, ...history, changed('editor'), changed('owner'))
        .when(decideEndUnowned, {})
        .recordsNothing();
      given(site).when(decideEndUnowned, {}).recordsNothing();
    });
  });

  it('a connector token can’t be issued for a site without an owner', () =>
    given(site, created, deployed(1)).when(decideIssueToken, issue(1, ann)).refuses('forbidden'));
});
