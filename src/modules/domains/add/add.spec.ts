import { describe, it } from '@jest/globals';
import { activated, added, aWeekLater, missed, ofSite } from '../../../../test/support/events/domain-examples.js';
import { given } from '../../../../test/support/events/given-when.js';
import { DomainChanged, DomainFailed, DomainLost, DomainMoved, DomainRemoved } from '../../../events/domain.events.js';
import { domain } from '../domain.state.js';
import { decideAdd, MAX_PENDING_DOMAINS } from './add.decide.js';
import { decideMove } from './move.decide.js';

const add = (n: number, redirectTo?: string | null) => ({
  ...ofSite(n),
  token: `token_${n}`,
  until: aWeekLater,
  redirectTo,
});
const others = (count: number) => Array.from({ length: count }, (_, n) => added(n + 10));

describe('Adding a hostname to a site', () => {
  it('adding a hostname creates a claim that is pending for a week', () =>
    given(domain).when(decideAdd, add(1)).records(added(1)));

  it('adding a hostname can set a redirect', () =>
    given(domain).when(decideAdd, add(1, 'example.com')).records(added(1, 'example.com')));

  it('several sites can have a pending claim on the same hostname', () =>
    given(domain, added(1)).when(decideAdd, add(2)).records(added(2)));

  it('adding a hostname is refused while it is active for another site', () =>
    given(domain, added(1), activated(1)).when(decideAdd, add(2)).refuses('domain_taken'));

  it('a hostname can be added while the DNS records of the site that has it are missing', () =>
    given(domain, added(1), activated(1), missed(1)).when(decideAdd, add(2)).records(added(2)));

  it.each([
    ['is pending', []],
    ['is active', [activated(1)]],
    ['is active with missing records', [activated(1), missed(1)]],
  ])('adding a hostname again records nothing if the claim %s', (_, events) =>
    given(domain, added(1), ...events)
      .when(decideAdd, { ...add(1), token: 'token_anew' })
      .recordsNothing(),
  );

  it('adding a hostname again can change or remove its redirect', () => {
    const changed = { siteId: 'site_1', visibility: null, hsts: false };
    given(domain, added(1))
      .when(decideAdd, add(1, 'example.com'))
      .records(DomainChanged({ ...changed, redirectTo: 'example.com' }));
    given(domain, added(1, 'example.com'))
      .when(decideAdd, add(1, null))
      .records(DomainChanged({ ...changed, redirectTo: null }));
    given(domain, added(1, 'example.com')).when(decideAdd, add(1)).recordsNothing();
  });

  it.each([
    ['failed', [DomainFailed({ siteId: 'site_1' })]],
    ['was lost', [activated(1), DomainLost({ siteId: 'site_1' })]],
    ['was removed', [DomainRemoved({ siteId: 'site_1' })]],
  ])('adding a hostname again creates a claim with a new token if the claim %s', (_, events) => {
    const anew = { ...added(1), data: { ...added(1).data, token: 'token_anew' } };
    given(domain, added(1), ...events)
      .when(decideAdd, { ...add(1), token: 'token_anew' })
      .records(anew);
  });

  it('a hostname can be added again after its claim has expired, even before the expiry is recorded', () =>
    given(domain, added(1))
      .when(decideAdd, { ...add(1), context: { at: aWeekLater }, until: '2026-12-04T12:00:00.000Z' })
      .records({ ...added(1), data: { ...added(1).data, until: '2026-12-04T12:00:00.000Z' } }));

  it('the oldest pending claim is replaced when the limit is exceeded', () => {
    given(domain, ...others(MAX_PENDING_DOMAINS - 1))
      .when(decideAdd, add(1))
      .records(added(1));
    given(domain, ...others(MAX_PENDING_DOMAINS))
      .when(decideAdd, add(1))
      .records(DomainFailed({ siteId: 'site_10' }), added(1));
  });

  it('the oldest failed claim is removed when the limit is exceeded', () => {
    const failed = others(100).flatMap((event) => [event, DomainFailed({ siteId: event.data.siteId })]);
    given(domain, ...failed)
      .when(decideAdd, add(1))
      .records(DomainRemoved({ siteId: 'site_10' }), added(1));
  });
});

describe('Moving a domain to another site', () => {
  const move = (from: number, to: number) => ({ ...ofSite(to), from: `site_${from}` });
  const moved = { siteId: 'site_1', to: 'site_2', token: 'token_1', hsts: false };

  it('moving a domain keeps its token, status, expiry and HSTS setting', () => {
    given(domain, added(1), activated(1))
      .when(decideMove, move(1, 2))
      .records(DomainMoved({ ...moved, status: 'active', until: null }));
    given(domain, added(1))
      .when(decideMove, move(1, 2))
      .records(DomainMoved({ ...moved, status: 'pending', until: aWeekLater }));
    given(domain, added(1), activated(1), added(2))
      .when(decideMove, move(1, 2))
      .records(DomainMoved({ ...moved, status: 'active', until: null }));
  });

  it('moving a domain is refused if the former site has no pending or active claim', () => {
    given(domain).when(decideMove, move(1, 2)).refuses('not_found');
    given(domain, added(1), DomainFailed({ siteId: 'site_1' }))
      .when(decideMove, move(1, 2))
      .refuses('not_found');
  });

  it('moving a domain again records nothing', () =>
    given(domain, added(1), activated(1), DomainMoved({ ...moved, status: 'active', until: null }))
      .when(decideMove, move(1, 2))
      .recordsNothing());

  it('moving a domain does not replace an active claim of the new site with a pending claim', () =>
    given(domain, added(1), added(2), activated(2)).when(decideMove, move(1, 2)).recordsNothing());
});
