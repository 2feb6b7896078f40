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
  it('creates a claim that is pending for a week', () => given(domain).when(decideAdd, add(1)).records(added(1)));

  it('can set a redirect', () => given(domain).when(decideAdd, add(1, 'example.com')).records(added(1, 'example.com')));

  it('lets several sites have a pending claim on the same hostname', () =>
    given(domain, added(1)).when(decideAdd, add(2)).records(added(2)));

  it('is refused while the hostname is active for another site', () =>
    given(domain, added(1), activated(1)).when(decideAdd, add(2)).refuses('domain_taken'));

  it('is possible if another site has the hostname without its DNS records', () =>
    given(domain, added(1), activated(1), missed(1)).when(decideAdd, add(2)).records(added(2)));

  it.each([
    ['is pending', []],
    ['is active', [activated(1)]],
    ['is active with missing records', [activated(1), missed(1)]],
  ])('records nothing when repeated if the claim %s', (_, events) =>
    given(domain, added(1), ...events)
      .when(decideAdd, { ...add(1), token: 'token_anew' })
      .recordsNothing(),
  );

  it('can change or remove the redirect when repeated', () => {
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
  ])('creates a claim with a new token when repeated if the claim %s', (_, events) => {
    const anew = { ...added(1), data: { ...added(1).data, token: 'token_anew' } };
    given(domain, added(1), ...events)
      .when(decideAdd, { ...add(1), token: 'token_anew' })
      .records(anew);
  });

  it('is possible again after the claim has expired, even before the expiry is recorded', () =>
    given(domain, added(1))
      .when(decideAdd, { ...add(1), context: { at: aWeekLater }, until: '2026-12-04T12:00:00.000Z' })
      .records({ ...added(1), data: { ...added(1).data, until: '2026-12-04T12:00:00.000Z' } }));

  it('replaces the oldest pending claim when the limit is exceeded', () => {
    given(domain, ...others(MAX_PENDING_DOMAINS - 1))
      .when(decideAdd, add(1))
      .records(added(1));
    given(domain, ...others(MAX_PENDING_DOMAINS))
      .when(decideAdd, add(1))
      .records(DomainFailed({ siteId: 'site_10' }), added(1));
  });

  it('removes the oldest failed claim when the limit is exceeded', () => {
    const failed = others(100).flatMap((event) => [event, DomainFailed({ siteId: event.data.siteId })]);
    given(domain, ...failed)
      .when(decideAdd, add(1))
      .records(DomainRemoved({ siteId: 'site_10' }), added(1));
  });
});

describe('Moving a domain to another site', () => {
  const move = (from: number, to: number) => ({ ...ofSite(to), from: `site_${from}` });
  const moved = { siteId: 'site_1', to: 'site_2', token: 'token_1', hsts: false };

  it('keeps the claim’s token, status, expiry and HSTS setting', () => {
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

  it('is refused if the former site has no pending or active claim', () => {
    given(domain).when(decideMove, move(1, 2)).refuses('not_found');
    given(domain, added(1), DomainFailed({ siteId: 'site_1' }))
      .when(decideMove, move(1, 2))
      .refuses('not_found');
  });

  it('records nothing when repeated', () =>
    given(domain, added(1), activated(1), DomainMoved({ ...moved, status: 'active', until: null }))
      .when(decideMove, move(1, 2))
      .recordsNothing());

  it('does not replace the other site’s active claim with a pending one', () =>
    given(domain, added(1), added(2), activated(2)).when(decideMove, move(1, 2)).recordsNothing());
});
