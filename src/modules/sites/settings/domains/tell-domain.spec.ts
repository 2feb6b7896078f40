import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import { created } from '../../../../../test/support/events/site-examples.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import {
  SiteDomainActivated,
  SiteDomainAdded,
  SiteDomainChanged,
  SiteDomainFailed,
  SiteDomainFound,
  SiteDomainLost,
  SiteDomainMissed,
  SiteDomainRemoved,
} from '../../../../events/site/site-domain.events.js';
import { site } from '../../site/state/site.state.js';
import { decideTellDomain } from './tell-domain.decide.js';

const hostname = 'www.example.com';
const at = (revision: number) => ({ hostname, revision });
const added = SiteDomainAdded({ ...at(1), redirectTo: null });
const active = SiteDomainActivated(at(2));

describe('Events of a domain', () => {
  it('events of a domain are copied to the site’s history', () => {
    given(site, created)
      .when(decideTellDomain, { hostname, events: [added] })
      .records(added);
    given(site, created, added)
      .when(decideTellDomain, { hostname, events: [active] })
      .records(active);
  });

  it('events of a domain are copied only once, regardless of the order in which processes see them', () => {
    given(site, created, added)
      .when(decideTellDomain, { hostname, events: [added] })
      .recordsNothing();
    given(site, created, added, active)
      .when(decideTellDomain, { hostname, events: [added] })
      .recordsNothing();
    given(site, created, added, SiteDomainRemoved(at(2)))
      .when(decideTellDomain, { hostname, events: [added] })
      .recordsNothing();
  });

  it('events of a domain are copied together if they have the same revision', () => {
    const both = [added, SiteDomainActivated(at(1))];
    given(site, created)
      .when(decideTellDomain, { hostname, events: both })
      .records(...both);
  });

  it('events are copied for each domain separately', () => {
    const other = SiteDomainAdded({ hostname: 'constructor', revision: 1, redirectTo: null });
    given(site, created, added, active)
      .when(decideTellDomain, { hostname: 'constructor', events: [other] })
      .records(other);
  });

  it('events of a domain are not copied if the site no longer exists', () => {
    given(site)
      .when(decideTellDomain, { hostname, events: [added] })
      .recordsNothing();
    given(site, created, SiteDeleted({}))
      .when(decideTellDomain, { hostname, events: [added] })
      .recordsNothing();
  });
});

describe('The state of a domain in its site', () => {
  const known = (...events: SiteEvent[]) => {
    const state = stateAfter(site, [created, added, ...events]);
    return state.status === 'live' ? state.domains : null;
  };
  const settings = { redirectTo: 'example.com', visibility: 'members', hsts: true } as const;

  it.each([
    ['pending', SiteDomainChanged({ ...at(2), ...settings, redirectTo: null })],
    ['active', active],
    ['lost', SiteDomainLost(at(2))],
    ['failed', SiteDomainFailed(at(2))],
    ['removed', SiteDomainRemoved(at(2))],
  ])('a domain has the status %s after the event', (status, event) =>
    expect(known(event)).toEqual({ [hostname]: { status, redirectTo: null, revision: 2 } }),
  );

  it('a domain stays active while DNS records are missing and after they are found again', () =>
    expect(known(active, SiteDomainMissed(at(3)), SiteDomainFound(at(4)))).toEqual({
      [hostname]: { status: 'active', redirectTo: null, revision: 4 },
    }));

  it('the state of a domain contains the domain that it redirects to', () =>
    expect(known(SiteDomainChanged({ ...at(2), ...settings }))).toMatchObject({
      [hostname]: { redirectTo: 'example.com' },
    }));
});
