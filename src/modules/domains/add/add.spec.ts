import { describe, it } from '@jest/globals';
import { activated, added, aWeekLater, missed, ofSite } from '../../../../test/support/events/domain-examples.js';
import { given } from '../../../../test/support/events/given-when.js';
import { DomainChanged, DomainFailed, DomainLost, DomainMoved, DomainRemoved } from '../../../events/domain.events.js';
import { domain } from '../domain.state.js';
import { decideAdd, MOST_PENDING } from './add.decide.js';
import { decideMove } from './move.decide.js';

const add = (n: number, redirectTo?: string | null) => ({
  ...ofSite(n),
  token: `token_${n}`,
  until: aWeekLater,
  redirectTo,
});
const others = (count: number) => Array.from({ length: count }, (_, n) => added(n + 10));

describe('Asking for a hostname', () => {
  it('makes a claim that waits for its records for a week', () =>
    given(domain).when(decideAdd, add(1)).records(added(1)));

  it('says where it is to redirect to', () =>
    given(domain).when(decideAdd, add(1, 'example.com')).records(added(1, 'example.com')));

  it('is as good as any other site’s, which asks for it too', () =>
    given(domain, added(1)).when(decideAdd, add(2)).records(added(2)));

  it('is refused while another site has it, its records in place', () =>
    given(domain, added(1), activated(1)).when(decideAdd, add(2)).refuses('domain_taken'));

  it('is possible once the records of the one who has it are gone', () =>
    given(domain, added(1), activated(1), missed(1)).when(decideAdd, add(2)).records(added(2)));

  it.each([
    ['is pending', []],
    ['is active', [activated(1)]],
    ['is active and missed', [activated(1), missed(1)]],
  ])('twice changes nothing: the claim %s', (_, events) =>
    given(domain, added(1), ...events)
      .when(decideAdd, { ...add(1), token: 'token_anew' })
      .recordsNothing(),
  );

  it('twice may say anew where it redirects to, or that it does not', () => {
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
  ])('anew needs another token: the claim %s', (_, events) => {
    const anew = { ...added(1), data: { ...added(1).data, token: 'token_anew' } };
    given(domain, added(1), ...events)
      .when(decideAdd, { ...add(1), token: 'token_anew' })
      .records(anew);
  });

  it('anew is needed when its time was over, whether or not that is recorded yet', () =>
    given(domain, added(1))
      .when(decideAdd, { ...add(1), context: { at: aWeekLater }, until: '2026-12-04T12:00:00.000Z' })
      .records({ ...added(1), data: { ...added(1).data, until: '2026-12-04T12:00:00.000Z' } }));

  it('takes the place of the claim that has waited longest, when too many do', () => {
    given(domain, ...others(MOST_PENDING - 1))
      .when(decideAdd, add(1))
      .records(added(1));
    given(domain, ...others(MOST_PENDING))
      .when(decideAdd, add(1))
      .records(DomainFailed({ siteId: 'site_10' }), added(1));
  });

  it('lets what came to its end long ago be forgotten', () => {
    const failed = others(100).flatMap((event) => [event, DomainFailed({ siteId: event.data.siteId })]);
    given(domain, ...failed)
      .when(decideAdd, add(1))
      .records(DomainRemoved({ siteId: 'site_10' }), added(1));
  });
});

describe('Moving a domain to another site', () => {
  const move = (from: number, to: number) => ({ ...ofSite(to), from: `site_${from}` });
  const moved = { siteId: 'site_1', to: 'site_2', token: 'token_1', hsts: false };

  it('takes the claim along as it stands', () => {
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

  it('needs a claim that stands', () => {
    given(domain).when(decideMove, move(1, 2)).refuses('not_found');
    given(domain, added(1), DomainFailed({ siteId: 'site_1' }))
      .when(decideMove, move(1, 2))
      .refuses('not_found');
  });

  it('twice changes nothing', () =>
    given(domain, added(1), activated(1), DomainMoved({ ...moved, status: 'active', until: null }))
      .when(decideMove, move(1, 2))
      .recordsNothing());

  it('does not take from a site what it has', () =>
    given(domain, added(1), added(2), activated(2)).when(decideMove, move(1, 2)).recordsNothing());
});
