import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody, stranger } from '../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../events/site/member.events.js';
import { ConnectorTokenIssued, ConnectorTokenRevoked } from '../../../events/site/settings.events.js';
import type { Caller } from '../../../kernel/command-context.js';
import type { RefusalCode } from '../../../kernel/refusal.js';
import { site } from '../site/site.state.js';
import { decideIssueToken, decideRevokeToken, MOST_TOKENS } from './connector-token.decide.js';

const story = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const editor = MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role: 'editor', inviteId: null });
const issue = (n = 1, caller = bob) => ({ context: by(caller), tokenId: `ctk_${n}`, name: `machine ${n}` });
const revoke = (n = 1, caller = bob) => ({ context: by(caller), tokenId: `ctk_${n}` });
const issued = (n = 1) => ConnectorTokenIssued({ tokenId: `ctk_${n}`, name: `machine ${n}` });
const revoked = (n = 1) => ConnectorTokenRevoked({ tokenId: `ctk_${n}`, name: `machine ${n}` });

describe('A connector token', () => {
  it('is issued, and the same twice says nothing new', () => {
    given(site, ...story)
      .when(decideIssueToken, issue())
      .records(issued());
    given(site, ...story, issued())
      .when(decideIssueToken, issue())
      .recordsNothing();
  });

  it('is revoked, once', () => {
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

  it('is one of so many, and one that was revoked makes room', () => {
    const many = Array.from({ length: MOST_TOKENS }, (_, n) => issued(n));
    given(site, ...story, ...many)
      .when(decideIssueToken, issue(MOST_TOKENS))
      .refuses('quota_exceeded');
    given(site, ...story, ...many, revoked(3))
      .when(decideIssueToken, issue(MOST_TOKENS))
      .records(issued(MOST_TOKENS));
  });

  it.each<[string, Caller, RefusalCode]>([
    ['an editor', carl, 'forbidden'],
    ['a stranger', { ...nobody, userId: 'usr_dan' }, 'forbidden'],
    ['an edit token that has ended', ann, 'edit_token_invalid'],
    ['another site’s token', stranger, 'edit_token_invalid'],
    ['nobody in particular', nobody, 'unauthenticated'],
  ])('is not for %s', (_, caller, code) => {
    given(site, ...story, editor)
      .when(decideIssueToken, issue(1, caller))
      .refuses(code);
    given(site, ...story, editor, issued())
      .when(decideRevokeToken, revoke(1, caller))
      .refuses(code);
  });

  it('is not for a site that is nobody’s', () =>
    given(site, created, deployed(1)).when(decideIssueToken, issue(1, ann)).refuses('forbidden'));
});
