import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody, stranger } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteDeleted, SiteRenamed } from '../../../../events/site/settings.events.js';
import { type SiteEvent, SiteExpired, SiteTakenDown } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { site } from '../../site/state/site.state.js';
import { decideRename, MAX_RENAMES } from './rename.decide.js';

const story = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const carls = (role: 'owner' | 'editor' | 'viewer') =>
  MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role, inviteId: null });
const to = (slug: string, caller: Caller = bob, ifRevision: number | null = null) => ({
  context: by(caller),
  slug,
  ifRevision,
});
const renamed = (before: string, slug: string) => SiteRenamed({ before, slug });

describe('Renaming a site', () => {
  it('renaming gives the site the new slug and keeps the previous one', () =>
    given(site, ...story)
      .when(decideRename, to('blue-whale'))
      .records(renamed('amber-otter', 'blue-whale')));

  it('renaming a site can restore a former slug', () =>
    given(site, ...story, renamed('amber-otter', 'blue-whale'))
      .when(decideRename, to('amber-otter'))
      .records(renamed('blue-whale', 'amber-otter')));

  it('records nothing if the slug stays the same', () =>
    given(site, ...story)
      .when(decideRename, to('amber-otter'))
      .recordsNothing());

  it('renaming a site succeeds even if it was renamed in the meantime', () =>
    given(site, ...story, renamed('amber-otter', 'red-fox'))
      .when(decideRename, to('blue-whale'))
      .records(renamed('red-fox', 'blue-whale')));

  it.each<[string, Caller, SiteEvent[], RefusalCode]>([
    ['an editor', carl, [carls('editor')], 'forbidden'],
    ['a viewer', carl, [carls('viewer')], 'forbidden'],
    ['a stranger', carl, [], 'forbidden'],
    ['a former edit token', ann, [], 'edit_token_invalid'],
    ['another site’s edit token', stranger, [], 'edit_token_invalid'],
    ['a caller without credentials', nobody, [], 'unauthenticated'],
  ])('renaming a site is refused for %s', (_, caller, events, code) =>
    given(site, ...story, ...events)
      .when(decideRename, to('blue-whale', caller))
      .refuses(code),
  );

  it('a second owner can rename the site', () =>
    given(site, ...story, carls('owner'))
      .when(decideRename, to('blue-whale', carl))
      .records(renamed('amber-otter', 'blue-whale')));

  it.each<[string, SiteEvent, RefusalCode]>([
    ['deleted', SiteDeleted({}), 'site_not_found'],
    ['expired', SiteExpired({}), 'site_expired'],
    ['taken down', SiteTakenDown({ reason: 'abuse' }), 'taken_down'],
  ])('renaming is refused for a site that is %s', (_, event, code) =>
    given(site, ...story, event)
      .when(decideRename, to('blue-whale'))
      .refuses(code),
  );

  it('renaming a site, even to its current slug, is refused if the site has changed since the caller last saw it', () => {
    for (const slug of ['blue-whale', 'amber-otter'])
      given(site, ...story)
        .when(decideRename, to(slug, bob, 2))
        .refuses('revision_mismatch');
    given(site, ...story)
      .when(decideRename, to('blue-whale', bob, 3))
      .records(renamed('amber-otter', 'blue-whale'));
  });

  it('renaming is refused at the slug limit, unless the site already had the slug', () => {
    const slugs = ['amber-otter', ...Array.from({ length: MAX_RENAMES - 1 }, (_, n) => `name-${n}`)];
    const names = slugs.slice(1).map((slug, at) => renamed(slugs[at] ?? '', slug));
    const last = slugs.at(-1) ?? '';
    given(site, ...story, ...names.slice(0, -1))
      .when(decideRename, to(last))
      .records(renamed(slugs.at(-2) ?? '', last));
    given(site, ...story, ...names)
      .when(decideRename, to('one-more'))
      .refuses('quota_exceeded');
    given(site, ...story, ...names)
      .when(decideRename, to('name-7'))
      .records(renamed(last, 'name-7'));
  });
});
