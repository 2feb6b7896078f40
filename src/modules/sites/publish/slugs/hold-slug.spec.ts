import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { later, noon } from '../../../../../test/support/events/site-examples.js';
import { SlugHeld, SlugReserved } from '../../../../events/slug.events.js';
import { decideHold, decideHoldAnew, decideReserve, decideSlugTransfer } from './hold-slug.decide.js';
import { slug } from './slug.state.js';

const hold = (siteId: string, lapsed: number | null, at = noon) => ({ siteId, context: { at }, lapsed });
const heldBy = (siteId: string) => SlugHeld({ siteId });

describe('Holding a slug', () => {
  it('succeeds if the slug is free', () =>
    given(slug).when(decideHold, hold('site_a', null)).records(heldBy('site_a')));

  it('is refused if another site holds the slug', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_b', null)).refuses('slug_taken'));

  it('records nothing if the site already holds the slug', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_a', null)).recordsNothing());

  it('takes the slug over from a site that was never created', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_b', 1)).records(heldBy('site_b')));

  it('is refused if another site took the slug over first', () =>
    given(slug, heldBy('site_a'), heldBy('site_c')).when(decideHold, hold('site_b', 1)).refuses('slug_taken'));

  it('records nothing if the site already took the slug over', () =>
    given(slug, heldBy('site_a'), heldBy('site_b')).when(decideHold, hold('site_b', 1)).recordsNothing());

  it('is refused until the reservation of the slug ends', () => {
    const reserved = SlugReserved({ siteId: 'site_a', until: later });
    given(slug, heldBy('site_a'), reserved).when(decideHold, hold('site_b', null)).refuses('slug_taken');
    given(slug, heldBy('site_a'), reserved)
      .when(decideHold, hold('site_b', null, later))
      .records(heldBy('site_b'));
  });
});

describe('Reserving the slug of a deleted site', () => {
  const reserve = { siteId: 'site_a', until: later };

  it('records the reservation', () =>
    given(slug, heldBy('site_a')).when(decideReserve, reserve).records(SlugReserved(reserve)));

  it('records nothing when repeated, or if another site has the slug', () => {
    given(slug, heldBy('site_a'), SlugReserved(reserve)).when(decideReserve, reserve).recordsNothing();
    given(slug, heldBy('site_b')).when(decideReserve, reserve).recordsNothing();
  });
});

describe('Holding another slug for an existing site', () => {
  it('succeeds if the slug is free, and is refused if another site holds it', () => {
    given(slug).when(decideHoldAnew, hold('site_a', null)).records(heldBy('site_a'));
    given(slug, heldBy('site_b')).when(decideHoldAnew, hold('site_a', null)).refuses('slug_taken');
  });

  it('renews the site’s own hold', () =>
    given(slug, heldBy('site_a')).when(decideHoldAnew, hold('site_a', null)).records(heldBy('site_a')));

  it('is refused if a lapsed hold was renewed in the meantime', () =>
    given(slug, heldBy('site_a'), heldBy('site_a')).when(decideHoldAnew, hold('site_b', 1)).refuses('slug_taken'));
});

describe('Transferring the slug of the probe', () => {
  const next = { siteId: 'prb_b', from: 'prb_a' };

  it('takes the slug from the site that has it or used to have it', () => {
    given(slug, heldBy('prb_a')).when(decideSlugTransfer, next).records(heldBy('prb_b'));
    const reserved = SlugReserved({ siteId: 'prb_a', until: later });
    given(slug, heldBy('prb_a'), reserved).when(decideSlugTransfer, next).records(heldBy('prb_b'));
    given(slug).when(decideSlugTransfer, { siteId: 'prb_b', from: null }).records(heldBy('prb_b'));
  });

  it('is refused if another process transferred the slug first', () => {
    given(slug, heldBy('prb_a'), heldBy('prb_c')).when(decideSlugTransfer, next).refuses('slug_taken');
    given(slug, heldBy('prb_a')).when(decideSlugTransfer, { siteId: 'prb_b', from: null }).refuses('slug_taken');
  });

  it('records nothing when repeated', () =>
    given(slug, heldBy('prb_a'), heldBy('prb_b')).when(decideSlugTransfer, next).recordsNothing());
});
