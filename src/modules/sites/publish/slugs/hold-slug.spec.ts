import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { later, noon } from '../../../../../test/support/events/site-examples.js';
import { SlugHeld, SlugReserved } from '../../../../events/slug.events.js';
import { decideHandOver, decideHold, decideHoldAnew, decideReserve } from './hold-slug.decide.js';
import { slug } from './slug.state.js';

const hold = (siteId: string, lapsed: number | null, at = noon) => ({ siteId, context: { at }, lapsed });
const heldBy = (siteId: string) => SlugHeld({ siteId });

describe('Holding a slug', () => {
  it('takes a free one', () => given(slug).when(decideHold, hold('site_a', null)).records(heldBy('site_a')));

  it('refuses one that another site holds', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_b', null)).refuses('slug_taken'));

  it('says nothing when the site holds it already', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_a', null)).recordsNothing());

  it('takes one over from a site that never came to be', () =>
    given(slug, heldBy('site_a')).when(decideHold, hold('site_b', 1)).records(heldBy('site_b')));

  it('refuses when somebody else was faster to take it over', () =>
    given(slug, heldBy('site_a'), heldBy('site_c')).when(decideHold, hold('site_b', 1)).refuses('slug_taken'));

  it('says nothing when this very site was the one to take it over', () =>
    given(slug, heldBy('site_a'), heldBy('site_b')).when(decideHold, hold('site_b', 1)).recordsNothing());

  it('refuses one that is reserved, until its time is over', () => {
    const reserved = SlugReserved({ siteId: 'site_a', until: later });
    given(slug, heldBy('site_a'), reserved).when(decideHold, hold('site_b', null)).refuses('slug_taken');
    given(slug, heldBy('site_a'), reserved)
      .when(decideHold, hold('site_b', null, later))
      .records(heldBy('site_b'));
  });
});

describe('Reserving the slug of a site that is gone', () => {
  const reserve = { siteId: 'site_a', until: later };

  it('keeps it from others', () =>
    given(slug, heldBy('site_a')).when(decideReserve, reserve).records(SlugReserved(reserve)));

  it('says nothing a second time, nor when another site has it by now', () => {
    given(slug, heldBy('site_a'), SlugReserved(reserve)).when(decideReserve, reserve).recordsNothing();
    given(slug, heldBy('site_b')).when(decideReserve, reserve).recordsNothing();
  });
});

describe('Holding a slug for a site that has another', () => {
  it('takes a free one, and refuses what is another’s', () => {
    given(slug).when(decideHoldAnew, hold('site_a', null)).records(heldBy('site_a'));
    given(slug, heldBy('site_b')).when(decideHoldAnew, hold('site_a', null)).refuses('slug_taken');
  });

  it('writes a hold of its own again, so that its time begins anew', () =>
    given(slug, heldBy('site_a')).when(decideHoldAnew, hold('site_a', null)).records(heldBy('site_a')));

  it('refuses one that has lapsed and was then held anew', () =>
    given(slug, heldBy('site_a'), heldBy('site_a')).when(decideHoldAnew, hold('site_b', 1)).refuses('slug_taken'));
});

describe('Handing over the slug of the probe', () => {
  const next = { siteId: 'prb_b', from: 'prb_a' };

  it('takes it from the site that has it, or had it', () => {
    given(slug, heldBy('prb_a')).when(decideHandOver, next).records(heldBy('prb_b'));
    const reserved = SlugReserved({ siteId: 'prb_a', until: later });
    given(slug, heldBy('prb_a'), reserved).when(decideHandOver, next).records(heldBy('prb_b'));
    given(slug).when(decideHandOver, { siteId: 'prb_b', from: null }).records(heldBy('prb_b'));
  });

  it('refuses when another process was faster to give it away', () => {
    given(slug, heldBy('prb_a'), heldBy('prb_c')).when(decideHandOver, next).refuses('slug_taken');
    given(slug, heldBy('prb_a')).when(decideHandOver, { siteId: 'prb_b', from: null }).refuses('slug_taken');
  });

  it('says nothing a second time', () =>
    given(slug, heldBy('prb_a'), heldBy('prb_b')).when(decideHandOver, next).recordsNothing());
});
