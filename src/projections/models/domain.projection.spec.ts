import { describe, expect, it } from '@jest/globals';
import { activated, added, aWeekLater, missed, threeDaysLater } from '../../../test/support/events/domain-examples.js';
import { noon } from '../../../test/support/events/site-examples.js';
import {
  DomainChanged,
  DomainFailed,
  DomainFound,
  DomainLost,
  DomainMoved,
  DomainRemoved,
  domainStream,
  type HostnameEvent,
} from '../../events/domain.events.js';
import { siteStream } from '../../events/site/site.events.js';
import { SiteDomainAdded, type SiteDomainEvent, SiteDomainRemoved } from '../../events/site/site-domain.events.js';
import type { Actor, Recorded } from '../../kernel/event-store.js';
import { domainReadModel } from './domain.projection.js';

const hostname = 'www.example.com';

/**
 * Returns the rows of the domain after these events, by site. For an event in a site's own stream, the argument is a
 * pair of the site's number and the event.
 */
function rowsAfter(...events: (HostnameEvent | readonly [n: number, event: SiteDomainEvent])[]) {
  return after({ kind: 'user', id: 'usr_1' }, ...events);
}

function after(actor: Actor, ...events: (HostnameEvent | readonly [n: number, event: SiteDomainEvent])[]) {
  const rows = new Map<string, object>();
  let revision = 0;
  for (const each of events) {
    const isTold = Array.isArray(each);
    const event = (isTold ? each[1] : each) as HostnameEvent | SiteDomainEvent;
    const stream = isTold ? siteStream(`site_${each[0]}`) : domainStream(hostname);
    if (!isTold) revision++;
    const recorded: Recorded = {
      ...event,
      stream,
      revision,
      id: `evt_${revision}`,
      at: noon,
      actor,
      position: 1n,
      schema: 1,
      stored: '',
      hash: null,
      previousHash: null,
    };
    for (const key of domainReadModel.touches(recorded)) {
      const row = domainReadModel.evolve(rows.get(key), recorded, key);
      if (row) rows.set(key, row);
      else rows.delete(key);
    }
  }
  return Object.fromEntries([...rows].map(([key, row]) => [key.replace(`${hostname} `, ''), row]));
}

describe('The rows of a custom domain', () => {
  it('each site that added a domain has a row', () =>
    expect(rowsAfter(added(1, 'example.com'), added(2))).toEqual({
      site_1: {
        id: 'www.example.com site_1',
        hostname,
        siteId: 'site_1',
        status: 'pending',
        token: 'token_1',
        redirectTo: 'example.com',
        visibility: null,
        hsts: false,
        until: new Date(aWeekLater),
        addedAt: new Date(noon),
        activeAt: null,
        revision: 1,
        untold: true,
      },
      site_2: expect.objectContaining({ token: 'token_2', redirectTo: null, revision: 2 }),
    }));

  it('a row contains the settings of the domain', () => {
    const settings = { redirectTo: 'example.com', visibility: 'members', hsts: true } as const;
    expect(rowsAfter(added(1), DomainChanged({ siteId: 'site_1', ...settings }))).toMatchObject({ site_1: settings });
  });

  it('the rows of a domain change when a site gains or loses the domain', () => {
    expect(rowsAfter(added(1), activated(1))).toMatchObject({
      site_1: { status: 'active', until: null, activeAt: new Date(noon) },
    });
    expect(rowsAfter(added(1), activated(1), added(2), activated(2, 1))).toMatchObject({
      site_1: { status: 'lost', activeAt: new Date(noon) },
      site_2: { status: 'active' },
    });
    expect(rowsAfter(added(1), activated(1), missed(1))).toMatchObject({
      site_1: { status: 'active', until: new Date(threeDaysLater) },
    });
    expect(rowsAfter(added(1), activated(1), missed(1), DomainFound({ siteId: 'site_1' }))).toMatchObject({
      site_1: { status: 'active', until: null },
    });
    expect(rowsAfter(added(1), activated(1), missed(1), DomainLost({ siteId: 'site_1' }))).toMatchObject({
      site_1: { status: 'lost', until: null },
    });
    expect(rowsAfter(added(1), DomainFailed({ siteId: 'site_1' }))).toMatchObject({
      site_1: { status: 'failed', until: null },
    });
  });

  const moved = DomainMoved({
    siteId: 'site_1',
    to: 'site_2',
    token: 'token_1',
    hsts: true,
    status: 'active',
    until: null,
  });

  it('a domain can move from one site’s row to another site’s row', () =>
    expect(rowsAfter(added(1), activated(1), added(2), moved)).toMatchObject({
      site_1: { status: 'removed', untold: true },
      site_2: { status: 'active', token: 'token_1', hsts: true, redirectTo: null, visibility: null },
    }));

  const told = { hostname, revision: 1 };
  const tells = [1, SiteDomainAdded({ ...told, redirectTo: null })] as const;

  it('a row is marked as recorded once the site’s history contains the row’s latest change', () => {
    expect(rowsAfter(added(1), tells)).toMatchObject({ site_1: { untold: false } });
    expect(rowsAfter(added(1), activated(1), tells)).toMatchObject({ site_1: { untold: true } });
    expect(rowsAfter(added(1), added(2), [2, tells[1]])).toMatchObject({ site_1: { untold: true } });
  });

  it('a removed domain’s row is deleted once the site’s history records it, or at once if the site is gone', () => {
    const removed = DomainRemoved({ siteId: 'site_1' });
    expect(rowsAfter(added(1), removed)).toMatchObject({ site_1: { status: 'removed' } });
    expect(rowsAfter(added(1), removed, [1, SiteDomainRemoved({ ...told, revision: 2 })])).toEqual({});
    expect(after({ kind: 'system' }, added(1), removed)).toEqual({});
  });
});
