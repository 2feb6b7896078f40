import { describe, expect, it } from '@jest/globals';
import {
  activated,
  added,
  aWeekLater,
  missed,
  ofSite,
  threeDaysLater,
} from '../../../../test/support/events/domain-examples.js';
import { given, stateAfter } from '../../../../test/support/events/given-when.js';
import { noon } from '../../../../test/support/events/site-examples.js';
import {
  DomainActivated,
  DomainChanged,
  DomainFailed,
  DomainFound,
  DomainLost,
  DomainMoved,
  DomainRemoved,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import { claimOf, domain, holderOf } from '../domain.state.js';
import { type DomainCheck, decideCheck } from './check.decide.js';

const there = { verified: true, leadsHere: true };
const gone = { verified: false, leadsHere: true };
const elsewhere = { verified: true, leadsHere: false };
const unknown = { verified: null, leadsHere: null };
const check = (n: number, found: DomainCheck['found'], at = noon) => ({
  ...ofSite(n, at),
  token: `token_${n}`,
  lostAt: threeDaysLater,
  found,
});

describe('A check of a claim that waits', () => {
  it('makes it active when the record names it and the name leads here', () =>
    given(domain, added(1)).when(decideCheck, check(1, there)).records(activated(1)));

  it('has with it all that was set for it', () =>
    given(
      domain,
      added(1, 'example.com'),
      DomainChanged({ siteId: 'site_1', redirectTo: 'example.com', visibility: 'members', hsts: true }),
    )
      .when(decideCheck, check(1, there))
      .records(
        DomainActivated({
          siteId: 'site_1',
          replaced: null,
          redirectTo: 'example.com',
          visibility: 'members',
          hsts: true,
        }),
      ));

  it.each([
    ['its record is missing', gone],
    ['the name leads elsewhere', elsewhere],
    ['DNS does not answer', unknown],
    ['DNS answers half', { verified: true, leadsHere: null }],
  ])('leaves it waiting: %s', (_, found) =>
    given(domain, added(1)).when(decideCheck, check(1, found)).recordsNothing(),
  );

  it.each([there, gone, unknown])('ends it after its time, whatever it finds', (found) =>
    given(domain, added(1))
      .when(decideCheck, check(1, found, aWeekLater))
      .records(DomainFailed({ siteId: 'site_1' })),
  );

  it('takes the domain from the site that had it, as the owner of the name wants it', () => {
    given(domain, added(1), activated(1), missed(1), added(2))
      .when(decideCheck, check(2, there))
      .records(activated(2, 1));
    given(domain, added(1), added(2), activated(1)).when(decideCheck, check(2, there)).records(activated(2, 1));
  });

  it('means nothing for a claim with another token, or for none', () => {
    given(domain, added(1))
      .when(decideCheck, { ...check(1, there), token: 'token_0' })
      .recordsNothing();
    given(domain).when(decideCheck, check(1, there)).recordsNothing();
    given(domain, added(1), DomainRemoved({ siteId: 'site_1' }))
      .when(decideCheck, check(1, there))
      .recordsNothing();
    given(domain, added(1), DomainFailed({ siteId: 'site_1' }))
      .when(decideCheck, check(1, there))
      .recordsNothing();
  });
});

describe('A check of an active domain', () => {
  const active = [added(1), activated(1)];

  it('says nothing while all is in place, or not known', () => {
    given(domain, ...active)
      .when(decideCheck, check(1, there))
      .recordsNothing();
    given(domain, ...active)
      .when(decideCheck, check(1, unknown))
      .recordsNothing();
  });

  it.each([
    ['its record is gone', gone],
    ['the name leads elsewhere', elsewhere],
    ['one is gone and the other not known', { verified: false, leadsHere: null }],
  ])('sees when %s, and gives it three days', (_, found) =>
    given(domain, ...active)
      .when(decideCheck, check(1, found))
      .records(missed(1)),
  );

  it('sees when its records are back, also at the last moment', () =>
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, there, threeDaysLater))
      .records(DomainFound({ siteId: 'site_1' })));

  it('gives it up when they were gone for three days, and not before', () => {
    const before = '2026-11-23T11:59:59.999Z';
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, gone, before))
      .recordsNothing();
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, gone, threeDaysLater))
      .records(DomainLost({ siteId: 'site_1' }));
  });

  it('does not give it up while DNS does not answer', () =>
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, unknown, aWeekLater))
      .recordsNothing());
});

describe('Of all claims on a hostname', () => {
  const history = (...events: HostnameEvent[]) => stateAfter(domain, events);
  const both = [added(1), added(2)];

  it('one at most is active', () => {
    expect(holderOf(history(...both))).toBeNull();
    expect(holderOf(history(...both, activated(1)))).toBe('site_1');
    expect(holderOf(history(...both, activated(1), activated(2, 1)))).toBe('site_2');
    expect(claimOf(history(...both, activated(1), activated(2, 1)), 'site_1')).toMatchObject({ status: 'lost' });
  });

  it('each ends by itself', () => {
    expect(history(...both, DomainRemoved({ siteId: 'site_1' }))).toEqual(history(added(2)));
    expect(holderOf(history(...both, activated(1), DomainLost({ siteId: 'site_1' })))).toBeNull();
  });

  it('one that moved is as it was, but for what the site before had set for it', () => {
    const set = DomainChanged({ siteId: 'site_1', redirectTo: 'example.com', visibility: 'public', hsts: true });
    const moved = DomainMoved({
      siteId: 'site_1',
      to: 'site_2',
      token: 'token_1',
      hsts: true,
      status: 'active',
      until: null,
    });
    expect(history(...both, activated(1), set, moved).claims).toEqual({
      site_2: { status: 'active', token: 'token_1', until: null, redirectTo: null, visibility: null, hsts: true },
    });
  });

  it('a site’s name is no more than a name', () => expect(claimOf(domain.initial, 'constructor')).toBeUndefined());
});
