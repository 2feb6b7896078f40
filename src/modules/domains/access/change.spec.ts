import { describe, it } from '@jest/globals';
import { activated, added, aWeekLater, ofSite } from '../../../../test/support/events/domain-examples.js';
import { given } from '../../../../test/support/events/given-when.js';
import { DomainChanged, DomainLost } from '../../../events/domain.events.js';
import { domain } from '../domain.state.js';
import { decideChange } from './change.decide.js';

const settings = { siteId: 'site_1', redirectTo: 'example.com', visibility: null, hsts: false };

describe('Changing the settings of a domain', () => {
  it('changing a domain’s setting leaves the other settings unchanged', () => {
    given(domain, added(1, 'example.com'), activated(1))
      .when(decideChange, { ...ofSite(1), hsts: true })
      .records(DomainChanged({ ...settings, hsts: true }));
    given(domain, added(1, 'example.com'), DomainChanged({ ...settings, hsts: true }))
      .when(decideChange, { ...ofSite(1), visibility: 'members' })
      .records(DomainChanged({ ...settings, hsts: true, visibility: 'members' }));
  });

  it('a null visibility restores the site’s own visibility for the domain', () =>
    given(domain, added(1), DomainChanged({ ...settings, visibility: 'members' }))
      .when(decideChange, { ...ofSite(1), visibility: null })
      .records(DomainChanged(settings)));

  it('records nothing if the settings already have these values', () => {
    given(domain, added(1))
      .when(decideChange, { ...ofSite(1), hsts: false, visibility: null })
      .recordsNothing();
    given(domain, added(1)).when(decideChange, ofSite(1)).recordsNothing();
  });

  it('changing a domain is refused with not_found if the site has no pending or active claim on it', () => {
    given(domain, added(2))
      .when(decideChange, { ...ofSite(1), hsts: true })
      .refuses('not_found');
    given(domain, added(1), activated(1), DomainLost({ siteId: 'site_1' }))
      .when(decideChange, { ...ofSite(1), hsts: true })
      .refuses('not_found');
    given(domain, added(1))
      .when(decideChange, { ...ofSite(1, aWeekLater), hsts: true })
      .refuses('not_found');
  });
});
