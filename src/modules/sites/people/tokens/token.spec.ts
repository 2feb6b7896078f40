import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody, stranger } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberRemoved, SiteClaimed } from '../../../../events/site/member.events.js';
import {
  AccessTokenIssued,
  AccessTokenRevoked,
  PublisherRemoved,
  PublisherTrusted,
} from '../../../../events/site/token.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { site } from '../../site/state/site.state.js';
import { decideLeave } from '../leave/leave.decide.js';
import { decideChangeRole, decideRemove } from '../members/members.decide.js';
import { decideIssueSiteToken, decideRevokeSiteToken, MAX_SITE_TOKENS } from './token.decide.js';

const story = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const carls = { memberId: 'mem_carl', userId: 'usr_carl' };
const joined = (role: 'owner' | 'editor') => MemberAdded({ ...carls, role, inviteId: null });
const script: Caller = {
  ...bob,
  delegation: { kind: 'token', id: 'tok_9', publisherId: null, role: 'owner', memberIds: null },
};
const program: Caller = {
  ...bob,
  delegation: { kind: 'program', id: 'grt_1', clientName: 'Claude', role: 'owner', memberIds: null },
};
const issue = (n = 1, caller = bob) => ({
  context: by(caller),
  tokenId: `tok_${n}`,
  role: 'editor' as const,
  expiresAt: null,
});
const revoke = (n = 1, caller = bob) => ({ context: by(caller), tokenId: `tok_${n}` });
const issued = (n = 1, memberId = 'mem_bob') =>
  AccessTokenIssued({ tokenId: `tok_${n}`, memberId, role: 'editor', expiresAt: null });
const revoked = (n = 1) => AccessTokenRevoked({ tokenId: `tok_${n}` });

describe('An access token for a site', () => {
  it('an access token belongs to its creator’s membership, and issuing it again records nothing', () => {
    given(site, ...story)
      .when(decideIssueSiteToken, issue())
      .records(issued());
    given(site, ...story, issued())
      .when(decideIssueSiteToken, issue())
      .recordsNothing();
  });

  it('an access token can be revoked only once', () => {
    given(site, ...story, issued(1), issued(2))
      .when(decideRevokeSiteToken, revoke(1))
      .records(revoked(1));
    given(site, ...story, issued(1), revoked(1))
      .when(decideRevokeSiteToken, revoke(1))
      .refuses('not_found');
  });

  it('an access token is not issued at the limit; revoked tokens do not count towards it', () => {
    const many = Array.from({ length: MAX_SITE_TOKENS }, (_, n) => issued(n));
    given(site, ...story, ...many)
      .when(decideIssueSiteToken, issue(MAX_SITE_TOKENS))
      .refuses('quota_exceeded');
    given(site, ...story, ...many, revoked(3))
      .when(decideIssueSiteToken, issue(MAX_SITE_TOKENS))
      .records(issued(MAX_SITE_TOKENS));
  });

  it.each<[string, Caller, RefusalCode]>([
    ['an editor', carl, 'forbidden'],
    ['the access token of an owner', script, 'forbidden'],
    ['a connected app that acts for an owner', program, 'forbidden'],
    ['a stranger', { ...nobody, userId: 'usr_dan' }, 'forbidden'],
    ['a former edit token', ann, 'edit_token_invalid'],
    ['another site’s edit token', stranger, 'edit_token_invalid'],
    ['a caller without credentials', nobody, 'unauthenticated'],
  ])('an access token can’t be issued or revoked by %s', (_, caller, code) => {
    given(site, ...story, joined('editor'))
      .when(decideIssueSiteToken, issue(1, caller))
      .refuses(code);
    given(site, ...story, joined('editor'), issued())
      .when(decideRevokeSiteToken, revoke(1, caller))
      .refuses(code);
  });

  it('an access token can’t be issued for a site without an owner', () =>
    given(site, created, deployed(1)).when(decideIssueSiteToken, issue(1, ann)).refuses('forbidden'));

  it('a member’s access tokens and publishers are revoked when the membership ends', () => {
    const trusted = PublisherTrusted({ publisherId: 'pub_1', memberId: 'mem_carl' });
    const theirs = [joined('owner'), issued(1), issued(2, 'mem_carl'), trusted];
    const gone = [MemberRemoved(carls), revoked(2), PublisherRemoved({ publisherId: 'pub_1' })];
    given(site, ...story, ...theirs)
      .when(decideRemove, { context: by(bob), memberId: 'mem_carl' })
      .records(...gone);
    given(site, ...story, ...theirs)
      .when(decideLeave, { userId: 'usr_carl' })
      .records(...gone);
  });

  it('an access token can’t manage members, whoever created it', () => {
    for (const decide of [decideRemove, decideChangeRole])
      given(site, ...story, joined('editor'))
        .when(decide, { context: by(script), memberId: 'mem_carl', role: 'owner' })
        .refuses('forbidden');
  });
});
