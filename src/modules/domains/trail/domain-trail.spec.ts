import { beforeEach, describe, expect, it } from '@jest/globals';
import { activated, added } from '../../../../test/support/events/domain-examples.js';
import { created, noon } from '../../../../test/support/events/site-examples.js';
import { sitesOfDomains } from '../../../../test/support/events/sites-of-domains.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { DomainRemoved, domainStream, type HostnameEvent } from '../../../events/domain.events.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { siteStream } from '../../../events/site/site.events.js';
import type { DomainRow } from '../../../projections/models/domain.projection.js';
import { DomainTrail } from './domain-trail.js';
import { UntoldDomains } from './untold-domains.js';

const hostname = 'www.example.com';

describe('The history of a site with domains', () => {
  let store: MemoryStore;
  beforeEach(async () => {
    store = new MemoryStore();
    for (const n of [1, 2]) await store.write(siteStream(`site_${n}`), created);
  });

  const happened = (...events: HostnameEvent[]) => store.write(domainStream(hostname), ...events);

  async function process(untold: readonly number[] = []) {
    const { commands, sites, history } = await sitesOfDomains(store);
    const trail = new DomainTrail(store, sites, history);
    const rows = untold.map((n) => ({ hostname, siteId: `site_${n}` }) as DomainRow);
    return { trail, untold: new UntoldDomains({ find: async () => rows }, commands, trail) };
  }

  const told = async (n: number) => (await store.read(siteStream(`site_${n}`))).events.slice(1).map(({ type }) => type);

  it('a site’s history contains each event of its domains with time and author', async () => {
    await happened(added(1));
    const { trail } = await process();
    expect(await trail.tell(hostname, [added(1)], 'site_1')).toMatchObject({ head: { revision: 2 } });
    const { events } = await store.read(siteStream('site_1'));
    expect(events.at(-1)).toMatchObject({
      type: 'SiteDomainAdded',
      data: { hostname, revision: 1, redirectTo: null },
      at: noon,
      actor: { kind: 'system' },
    });
  });

  it('a site’s history records that it lost a domain to another site', async () => {
    await happened(added(1), activated(1), added(2), activated(2, 1));
    const { trail } = await process();
    await trail.tell(hostname, [activated(2, 1)], 'site_2');
    expect(await told(1)).toEqual(['SiteDomainAdded', 'SiteDomainActivated', 'SiteDomainLost']);
    expect(await told(2)).toEqual(['SiteDomainAdded', 'SiteDomainActivated']);
  });

  it('a site’s history contains each domain event only once, despite concurrent processes and crashes', async () => {
    await happened(added(1), activated(1));
    const several = await Promise.all(Array.from({ length: 4 }, () => process()));
    await Promise.all(several.map(({ trail }) => trail.tellSite(hostname, 'site_1')));
    const { trail } = await process();
    expect(await trail.tellSite(hostname, 'site_1')).toBeNull();
    expect(await told(1)).toEqual(['SiteDomainAdded', 'SiteDomainActivated']);
  });

  it('a domain event that could not be recorded at first is added to the site’s history later', async () => {
    await happened(added(1));
    store.beforeAppend = async () => {
      throw new Error('The disk is away.');
    };
    const { trail, untold } = await process([1]);
    expect(await trail.tell(hostname, [added(1)], 'site_1')).toBeNull();
    store.beforeAppend = async () => undefined;
    await untold.tellAll();
    expect(await told(1)).toEqual(['SiteDomainAdded']);
  });

  it('a deleted site’s history is not changed, and its claim on the domain is released', async () => {
    await happened(added(1), activated(1));
    await store.write(siteStream('site_1'), SiteDeleted({}));
    const { untold } = await process([1]);
    await untold.tellAll();
    expect(await told(1)).toEqual(['SiteDeleted']);
    const { events } = await store.read(domainStream(hostname));
    expect(events.at(-1)).toMatchObject({ ...DomainRemoved({ siteId: 'site_1' }), actor: { kind: 'system' } });
  });
});
