import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody, stranger } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { type SiteEvent, SiteExpired, SiteExpirySet, SiteTakenDown } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { site } from '../../site/state/site.state.js';
import { decideDelete } from './delete.decide.js';

const story = [created, deployed(1)];
const claimed = SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' });
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const carls = (role: 'owner' | 'editor' | 'viewer') =>
  MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role, inviteId: null });
const asked = (caller: Caller, ifRevision: number | null = null) => ({ context: by(caller), ifRevision });
const gone = SiteDeleted({});

describe('Deleting a site', () => {
  it('a site without an owner can be deleted with its edit token', () =>
    given(site, ...story)
      .when(decideDelete, asked(ann))
      .records(gone));

  it('each owner of a site can delete it', () => {
    given(site, ...story, claimed)
      .when(decideDelete, asked(bob))
      .records(gone);
    given(site, ...story, claimed, carls('owner'))
      .when(decideDelete, asked(carl))
      .records(gone);
  });

  it.each<[string, Caller, SiteEvent[], RefusalCode]>([
    ['an editor', carl, [claimed, carls('editor')], 'forbidden'],
    ['a viewer', carl, [claimed, carls('viewer')], 'forbidden'],
    ['a stranger who is signed in', carl, [claimed], 'forbidden'],
    ['the edit token of a site that has been claimed', ann, [claimed], 'edit_token_invalid'],
    ['another site’s edit token', stranger, [], 'edit_token_invalid'],
    ['a caller without credentials', nobody, [], 'unauthenticated'],
  ])('deleting a site is refused for %s', (_, caller, events, code) =>
    given(site, ...story, ...events)
      .when(decideDelete, asked(caller))
      .refuses(code),
  );

  it.each<[string, SiteEvent[], RefusalCode]>([
    ['already deleted', [gone], 'site_not_found'],
    ['taken down', [SiteTakenDown({ reason: 'abuse' })], 'taken_down'],
    ['expired', [SiteExpired({})], 'site_expired'],
    ['past its expiry', [SiteExpirySet({ expiresAt: '2026-11-20T11:00:00.000Z', renews: false })], 'site_expired'],
  ])('deleting a site is refused if the site is %s', (_, events, code) =>
    given(site, ...story, ...events)
      .when(decideDelete, asked(ann))
      .refuses(code),
  );

  it('deleting a site is refused if the site never existed', () =>
    given(site).when(decideDelete, asked(ann)).refuses('site_not_found'));

  it('a stale revision is reported only to callers who can delete the site', () => {
    given(site, ...story)
      .when(decideDelete, asked(ann, 1))
      .refuses('revision_mismatch');
    given(site, ...story)
      .when(decideDelete, asked(stranger, 1))
      .refuses('edit_token_invalid');
    given(site, ...story)
      .when(decideDelete, asked(ann, 2))
      .records(gone);
  });
});
