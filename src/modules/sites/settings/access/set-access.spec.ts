import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteAccessSet } from '../../../../events/site/settings.events.js';
import { SiteTakenDown } from '../../../../events/site/site.events.js';
import { site } from '../../site/state/site.state.js';
import { decideSetAccess } from './set-access.decide.js';

const bobs = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })] as const;
const asBob = { context: by(bob), passwordId: null, ifRevision: null };
const isPublic = SiteAccessSet({ visibility: 'public', passwordId: null });
const forMembers = SiteAccessSet({ visibility: 'members', passwordId: null });
const withPassword = (passwordId: string) => SiteAccessSet({ visibility: 'password', passwordId });
const carl = { editTokenHash: null, userId: 'usr_carl' };
const carls = { memberId: 'mem_carl', userId: 'usr_carl', inviteId: null };

describe('Setting a site’s visibility', () => {
  it('setting a password records its ID, but not the password itself', () => {
    given(site, ...bobs)
      .when(decideSetAccess, { ...asBob, visibility: 'members' as const })
      .records(forMembers);
    given(site, ...bobs)
      .when(decideSetAccess, { ...asBob, visibility: 'password' as const, passwordId: 'pwd_1' })
      .records(withPassword('pwd_1'));
    given(site, ...bobs, withPassword('pwd_1'))
      .when(decideSetAccess, { ...asBob, visibility: 'public' as const })
      .records(isPublic);
  });

  it('a new password replaces the previous one', () =>
    given(site, ...bobs, withPassword('pwd_1'))
      .when(decideSetAccess, { ...asBob, visibility: 'password' as const, passwordId: 'pwd_2' })
      .records(withPassword('pwd_2')));

  it('records nothing when the same settings are sent again', () => {
    given(site, ...bobs)
      .when(decideSetAccess, { ...asBob, visibility: 'public' as const })
      .recordsNothing();
    given(site, ...bobs, forMembers)
      .when(decideSetAccess, { ...asBob, visibility: 'members' as const })
      .recordsNothing();
    given(site, ...bobs, withPassword('pwd_1'))
      .when(decideSetAccess, { ...asBob, visibility: 'password' as const })
      .recordsNothing();
    given(site, ...bobs, withPassword('pwd_1'))
      .when(decideSetAccess, { ...asBob, visibility: 'password' as const, passwordId: 'pwd_1' })
      .recordsNothing();
  });

  it('password protection requires a new password, even if the site once had one', () => {
    const asked = { ...asBob, visibility: 'password' as const };
    given(site, ...bobs)
      .when(decideSetAccess, asked)
      .refuses('invalid_request');
    given(site, ...bobs, withPassword('pwd_1'), forMembers)
      .when(decideSetAccess, asked)
      .refuses('invalid_request');
  });

  it('setting the visibility is refused for callers who are not owners', () => {
    const asked = { ...asBob, visibility: 'members' as const };
    given(site, ...bobs)
      .when(decideSetAccess, { ...asked, context: by(nobody) })
      .refuses('unauthenticated');
    given(site, ...bobs, MemberAdded({ ...carls, role: 'editor' }))
      .when(decideSetAccess, { ...asked, context: by(carl) })
      .refuses('forbidden');
    given(site, created)
      .when(decideSetAccess, { ...asked, context: by(ann) })
      .refuses('forbidden');
  });

  it('callers who can’t see the site are refused as if it did not exist', () => {
    const asked = { ...asBob, visibility: 'public' as const };
    for (const caller of [nobody, carl, ann]) {
      given(site, ...bobs, forMembers)
        .when(decideSetAccess, { ...asked, context: by(caller), ifRevision: 1 })
        .refuses('site_not_found');
      given(site, ...bobs, forMembers, SiteTakenDown({ reason: 'x' }))
        .when(decideSetAccess, { ...asked, context: by(caller) })
        .refuses('site_not_found');
    }
    given(site, ...bobs, forMembers, MemberAdded({ ...carls, role: 'viewer' }))
      .when(decideSetAccess, { ...asked, context: by(carl) })
      .refuses('forbidden');
  });

  it('setting the visibility is refused if the site has changed since the caller last saw it', () =>
    given(site, ...bobs)
      .when(decideSetAccess, { ...asBob, visibility: 'members' as const, ifRevision: 2 })
      .refuses('revision_mismatch'));
});
