import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/given.js';
import { SlugHeld } from '../../../events/slug.events.js';
import { decideHold } from './hold-slug.decide.js';
import { slug } from './slug.state.js';

const heldBy = (siteId: string) => SlugHeld({ siteId });

describe('Holding a slug', () => {
  it('takes a free one', () =>
    given(slug).when(decideHold, { siteId: 'site_a', lapsed: null }).records(heldBy('site_a')));

  it('refuses one that another site holds', () =>
    given(slug, heldBy('site_a')).when(decideHold, { siteId: 'site_b', lapsed: null }).refuses('slug_taken'));

  it('says nothing when the site holds it already', () =>
    given(slug, heldBy('site_a')).when(decideHold, { siteId: 'site_a', lapsed: null }).recordsNothing());

  it('takes one over from a site that never came to be', () =>
    given(slug, heldBy('site_a')).when(decideHold, { siteId: 'site_b', lapsed: 'site_a' }).records(heldBy('site_b')));

  it('refuses when somebody else was faster to take it over', () =>
    given(slug, heldBy('site_a'), heldBy('site_c'))
      .when(decideHold, { siteId: 'site_b', lapsed: 'site_a' })
      .refuses('slug_taken'));

  it('says nothing when this very site was the one to take it over', () =>
    given(slug, heldBy('site_a'), heldBy('site_b'))
      .when(decideHold, { siteId: 'site_b', lapsed: 'site_a' })
      .recordsNothing());
});
