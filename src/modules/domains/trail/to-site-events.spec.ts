import { describe, expect, it } from '@jest/globals';
import { activated, added, missed } from '../../../../test/support/events/domain-examples.js';
import { noon } from '../../../../test/support/events/site-examples.js';
import {
  DomainChanged,
  DomainFailed,
  DomainFound,
  DomainLost,
  DomainMoved,
  DomainRemoved,
  domainStream,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import {
  SiteDomainActivated,
  SiteDomainAdded,
  SiteDomainChanged,
  SiteDomainFailed,
  SiteDomainFound,
  SiteDomainLost,
  SiteDomainMissed,
  SiteDomainRemoved,
} from '../../../events/site/site-domain.events.js';
import { toSiteEvents } from './to-site-events.js';

const hostname = 'www.example.com';
const told = { hostname, revision: 7 };
const siteId = 'site_1';

const trail = (event: HostnameEvent, site: number) =>
  toSiteEvents(
    {
      ...event,
      id: 'evt_1',
      at: noon,
      actor: { kind: 'system' },
      stream: domainStream(hostname),
      revision: 7,
      position: 1n,
      schema: 1,
      stored: '',
      hash: null,
      previousHash: null,
    },
    `site_${site}`,
  );

describe('Site events that are created from hostname events', () => {
  const settings = { redirectTo: 'example.com', visibility: 'members', hsts: true } as const;

  it.each([
    [added(1, 'example.com'), SiteDomainAdded({ ...told, redirectTo: 'example.com' })],
    [DomainChanged({ siteId, ...settings }), SiteDomainChanged({ ...told, ...settings })],
    [activated(1), SiteDomainActivated(told)],
    [missed(1), SiteDomainMissed(told)],
    [DomainFound({ siteId }), SiteDomainFound(told)],
    [DomainLost({ siteId }), SiteDomainLost(told)],
    [DomainFailed({ siteId }), SiteDomainFailed(told)],
    [DomainRemoved({ siteId }), SiteDomainRemoved(told)],
  ])('a hostname event creates an event only for the site that it concerns: %j', (event, expected) => {
    expect(trail(event, 1)).toEqual([expected]);
    expect(trail(event, 2)).toEqual([]);
  });

  it('a site that loses a domain to another site also gets an event', () =>
    expect(trail(activated(1, 2), 2)).toEqual([SiteDomainLost(told)]));

  it('moving a domain creates events for both sites', () => {
    const moved = { siteId, to: 'site_2', token: 'token_1', hsts: false, until: null };
    const active = DomainMoved({ ...moved, status: 'active' });
    const [addedHere, shows] = [SiteDomainAdded({ ...told, redirectTo: null }), SiteDomainActivated(told)];
    expect([trail(active, 1), trail(active, 2), trail(active, 3)]).toEqual([
      [SiteDomainRemoved(told)],
      [addedHere, shows],
      [],
    ]);
    expect(trail(DomainMoved({ ...moved, status: 'pending' }), 2)).toEqual([addedHere]);
  });
});
