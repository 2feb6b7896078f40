import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { later, noon } from '../../../../../test/support/events/site-examples.js';
import { SlugHeld, SlugReserved } from '../../../../events/slug.events.js';
import { decideHold, decideHoldAnew, decideReserve, decideSlugTransfer } from './hold-slug.decide.js';
import { slug } from './slug.state.js';

const hold = (siteId: string, lapsed: number | null, at = noon) => ({ siteId, context: { at }, lapsed });
const heldBy = (siteId: string) => SlugHeld({ siteId });

describe('Holding a slug', () => {
  it('a free slug can be held', () => given(slug).when(decideHold, hold('site_a', null)).records(heldBy('site_a')));

  it('a slug can’t be held if another site holds it', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_b', null)).refuses('slug_taken'));

  it('records nothing if the site already holds the slug', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_a', null)).recordsNothing());

  it('a slug can be taken over from a site that was never created', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_b', 1)).records(heldBy('site_b')));

  it('taking over a slug is refused if another site took it over first', () =>
    given(slug, heldBy('site_a'), heldBy('site_c')).when(decideHold, hold('site_b', 1)).refuses('slug_taken'));

  it('records nothing if the site already took over the slug', () =>
    given(slug, heldBy('site_a'), heldBy('site_b')).when(decideHold, hold('site_b', 1)).recordsNothing());

  it('a reserved slug can’t be held until its reservation ends', () => {
    const reserved = SlugReserved({ siteId: 'site_a', until: later });
    given(slug, heldBy('site_a'), reserved).when(decideHold, hold('site_b', null)).refuses('slug_taken');
    given(slug, heldBy('site_a'), reserved)
      .when(decideHold, hold('site_b', null, later))
      .records(heldBy('site_b'));
  });
});

describe('Reserving the slug of a deleted site', () => {
  const reserve = { siteId: 'site_a', until: later };

  it('the slug of a deleted site is reserved', () =>
    given(slug, heldBy('site_a')).when(decideReserve, reserve).records(SlugReserved(reserve)));

  it('reserving a slug records nothing if it is already reserved or another site has it', () => {
    given(slug, heldBy('site_a'), SlugReserved(reserve)).when(decideReserve, reserve).recordsNothing();
    given(slug, heldBy('site_b')).when(decideReserve, reserve).recordsNothing();
  });
});

describe('Holding another slug for an existing site', () => {
  it('an existing site can hold another slug if it is free, but not if another site holds it', () => {
    given(slug).when(decideHoldAnew, hold('site_a', null)).records(heldBy('site_a'));
    given(slug, heldBy('site_b')).when(decideHoldAnew, hold('site_a', null)).refuses('slug_taken');
  });

  it('holding a slug that the site already holds renews the hold', () =>
    given(slug, heldBy('site_a')).when(decideHoldAnew, hold('site_a', null)).records(heldBy('site_a')));

  it('taking over an expired slug is refused if the site that held it has renewed its hold in the meantime', () =>
    given(slug, heldBy('site_a'), heldBy('site_a')).when(decideHoldAnew, hold('site_b', 1)).refuses('slug_taken'));
});

describe('Transferring the slug of the status probe', () => {
  const next = { siteId: 'prb_b', from: 'prb_a' };

  it('the slug of the status probe is taken from the site that has it or used to have it', () => {
    given(slug, heldBy('prb_a')).when(decideSlugTransfer, next).records(heldBy('prb_b'));
    const reserved = SlugReserved({ siteId: 'prb_a', until: later });
    given(slug, heldBy('prb_a'), reserved).when(decideSlugTransfer, next).records(heldBy('prb_b'));
    given(slug).when(decideSlugTransfer, { siteId: 'prb_b', from: null }).records(heldBy('prb_b'));
  });

  it('transferring a slug is refused if another process transferred it first', () => {
    given(slug, heldBy('prb_a'), heldBy('prb_c')).when(decideSlugTransfer, next).refuses('slug_taken');
    given(slug, heldBy('prb_a')).when(decideSlugTransfer, { siteId: 'prb_b', from: null }).refuses('slug_taken');
  });

  it('transferring a slug again records nothing', () =>
    given(slug, heldBy('prb_a'), heldBy('prb_b')).when(decideSlugTransfer, next).recordsNothing());
});
