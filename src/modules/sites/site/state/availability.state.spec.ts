import { expect, it } from '@jest/globals';
import { partAfter } from '../../../../../test/support/events/given-when.js';
import { deployed, later, noon } from '../../../../../test/support/events/site-examples.js';
import { SiteClaimed } from '../../../../events/site/member.events.js';
import { type SiteEvent, SiteExpirySet, SiteRestored, SiteTakenDown } from '../../../../events/site/site.events.js';
import { availableForever, evolveAvailability } from './availability.state.js';

const folded = (...history: SiteEvent[]) => partAfter(evolveAvailability, availableForever, ...history);

it('a site expires at the time set last, unless it was claimed', () => {
  const early = SiteExpirySet({ expiresAt: noon, renews: false });
  const late = SiteExpirySet({ expiresAt: later, renews: true });
  expect(folded(early, late)).toMatchObject({ expiresAt: later, renewsExpiry: true });
  expect(folded(late, SiteClaimed({ memberId: 'mem_a', userId: 'usr_a' }))).toEqual(availableForever);
});

it('a site is taken down until it is restored', () => {
  const takenDown = SiteTakenDown({ reason: 'abuse' });
  expect(folded(takenDown).takenDown).toBe(true);
  expect(folded(takenDown, SiteRestored({}))).toEqual(availableForever);
});

it('other events do not change the availability of a site', () =>
  expect(evolveAvailability(availableForever, deployed(1))).toBeNull());
