import { describe, it } from '@jest/globals';
import { activated, added, ofSite } from '../../../../test/support/events/domain-examples.js';
import { given } from '../../../../test/support/events/given-when.js';
import { DomainFailed, DomainRemoved } from '../../../events/domain.events.js';
import { domain } from '../domain.state.js';
import { decideRelease, decideRemove } from './remove.decide.js';

const removed = DomainRemoved({ siteId: 'site_1' });

describe('Removing a domain', () => {
  it.each([
    ['is pending', []],
    ['is active', [activated(1)]],
    ['has failed', [DomainFailed({ siteId: 'site_1' })]],
  ])('a domain can be removed when it %s', (_, events) =>
    given(domain, added(1), ...events)
      .when(decideRemove, ofSite(1))
      .records(removed),
  );

  it('removing a domain is refused with not_found if the site does not have the hostname', () => {
    given(domain).when(decideRemove, ofSite(1)).refuses('not_found');
    given(domain, added(2), activated(2)).when(decideRemove, ofSite(1)).refuses('not_found');
    given(domain, added(1), removed).when(decideRemove, ofSite(1)).refuses('not_found');
  });

  it('a claim is released only once after its site was deleted', () => {
    given(domain, added(1), activated(1)).when(decideRelease, ofSite(1)).records(removed);
    given(domain, added(1), removed).when(decideRelease, ofSite(1)).recordsNothing();
  });
});
