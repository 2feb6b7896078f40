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
import { domain, findActiveSite, findClaim } from '../domain.state.js';
import { type CheckDomainInput, decideCheck } from './check.decide.js';

const there = { verified: true, leadsHere: true };
const gone = { verified: false, leadsHere: true };
const elsewhere = { verified: true, leadsHere: false };
const unknown = { verified: null, leadsHere: null };
const check = (n: number, found: CheckDomainInput['found'], at = noon) => ({
  ...ofSite(n, at),
  token: `token_${n}`,
  lostAt: threeDaysLater,
  found,
});

describe('Checking a pending claim', () => {
  it('activates a pending claim if its DNS record exists and the hostname resolves to the service', () =>
    given(domain, added(1)).when(decideCheck, check(1, there)).records(activated(1)));

  it('records all settings of the claim when it becomes active', () =>
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
    ['the hostname resolves elsewhere', elsewhere],
    ['DNS does not respond', unknown],
    ['DNS returns only one of the records', { verified: true, leadsHere: null }],
  ])('leaves the claim pending if %s', (_, found) =>
    given(domain, added(1)).when(decideCheck, check(1, found)).recordsNothing(),
  );

  it.each([there, gone, unknown])('fails an expired claim, whatever the check finds', (found) =>
    given(domain, added(1))
      .when(decideCheck, check(1, found, aWeekLater))
      .records(DomainFailed({ siteId: 'site_1' })),
  );

  it('takes the domain away from its former site once the new claim is verified', () => {
    given(domain, added(1), activated(1), missed(1), added(2))
      .when(decideCheck, check(2, there))
      .records(activated(2, 1));
    given(domain, added(1), added(2), activated(1)).when(decideCheck, check(2, there)).records(activated(2, 1));
  });

  it('records nothing if the token differs or there is no pending claim', () => {
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

describe('Checking an active domain', () => {
  const active = [added(1), activated(1)];

  it('changes nothing for an active domain if the DNS records are intact or unknown', () => {
    given(domain, ...active)
      .when(decideCheck, check(1, there))
      .recordsNothing();
    given(domain, ...active)
      .when(decideCheck, check(1, unknown))
      .recordsNothing();
  });

  it.each([
    ['its record is missing', gone],
    ['the hostname resolves elsewhere', elsewhere],
    ['one record is missing and the other is unknown', { verified: false, leadsHere: null }],
  ])('keeps an active domain for three more days if %s', (_, found) =>
    given(domain, ...active)
      .when(decideCheck, check(1, found))
      .records(missed(1)),
  );

  it('cancels the three-day deadline when the DNS records are back, even at the last moment', () =>
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, there, threeDaysLater))
      .records(DomainFound({ siteId: 'site_1' })));

  it('ends the claim after the DNS records were missing for three days', () => {
    const before = '2026-11-23T11:59:59.999Z';
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, gone, before))
      .recordsNothing();
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, gone, threeDaysLater))
      .records(DomainLost({ siteId: 'site_1' }));
  });

  it('does not end the claim while DNS does not respond', () =>
    given(domain, ...active, missed(1))
      .when(decideCheck, check(1, unknown, aWeekLater))
      .recordsNothing());
});

describe('The claims on a hostname', () => {
  const history = (...events: HostnameEvent[]) => stateAfter(domain, events);
  const both = [added(1), added(2)];

  it('a hostname has at most one active claim', () => {
    expect(findActiveSite(history(...both))).toBeNull();
    expect(findActiveSite(history(...both, activated(1)))).toBe('site_1');
    expect(findActiveSite(history(...both, activated(1), activated(2, 1)))).toBe('site_2');
    expect(findClaim(history(...both, activated(1), activated(2, 1)), 'site_1')).toMatchObject({ status: 'lost' });
  });

  it('claims on a hostname end independently of each other', () => {
    expect(history(...both, DomainRemoved({ siteId: 'site_1' }))).toEqual(history(added(2)));
    expect(findActiveSite(history(...both, activated(1), DomainLost({ siteId: 'site_1' })))).toBeNull();
  });

  it('a domain that moves to another site loses the former site’s redirect and visibility', () => {
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

  it('claims do not include inherited object properties such as “constructor”', () =>
    expect(findClaim(domain.initial, 'constructor')).toBeUndefined());
});
