import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { created, deployed, digestOf, later, noon } from '../../../../../test/support/events/site-examples.js';
import { SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteExpirySet, SiteTakenDown } from '../../../../events/site/site.events.js';
import { site } from '../../site/state/site.state.js';
import { decideClaim } from './claim.decide.js';

const ann = { memberId: 'mem_ann', userId: 'usr_ann' };
const bob = { memberId: 'mem_bob', userId: 'usr_bob' };
const by = (who: typeof ann, token = 'a', at = noon) => ({
  ...who,
  editTokenHash: digestOf(token),
  context: { at },
});
const story = [created, deployed(1)];

describe('Claiming a site', () => {
  it('claiming a site makes the user with the edit token its owner', () =>
    given(site, ...story)
      .when(decideClaim, by(ann))
      .records(SiteClaimed(ann)));

  it('claiming a site removes its expiry and revokes its edit token', () =>
    expect(
      stateAfter(site, [...story, SiteExpirySet({ expiresAt: later, renews: false }), SiteClaimed(ann)]),
    ).toMatchObject({
      expiresAt: null,
      editTokenHash: null,
      members: { usr_ann: { memberId: 'mem_ann', role: 'owner' } },
    }));

  it('records nothing if the same user claims the site again', () =>
    given(site, ...story, SiteClaimed(ann))
      .when(decideClaim, by(ann))
      .recordsNothing());

  it('claiming a site is refused if another user claimed it first', () =>
    given(site, ...story, SiteClaimed(ann))
      .when(decideClaim, by(bob))
      .refuses('already_claimed'));

  it('claiming a site is refused with a wrong edit token', () =>
    given(site, ...story)
      .when(decideClaim, by(ann, 'b'))
      .refuses('edit_token_invalid'));

  it('claiming a site is refused if the site does not exist, has expired or was taken down', () => {
    given(site).when(decideClaim, by(ann)).refuses('site_not_found');
    const expiring = [...story, SiteExpirySet({ expiresAt: later, renews: false })];
    given(site, ...expiring)
      .when(decideClaim, by(ann, 'a', later))
      .refuses('site_expired');
    given(site, ...story, SiteTakenDown({ reason: 'x' }))
      .when(decideClaim, by(ann))
      .refuses('taken_down');
  });
});
