import { beforeEach, describe, expect, it } from '@jest/globals';
import { activated, added, missed } from '../../../../test/support/events/domain-examples.js';
import { noon } from '../../../../test/support/events/site-examples.js';
import {
  DomainActivated,
  DomainChanged,
  DomainFound,
  DomainLost,
  DomainMoved,
  DomainRemoved,
  domainStream,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import { DomainIndex } from './domain-index.js';
import type { ServedSite } from './served-site.js';

const www = 'www.example.com';
const apex = 'example.com';
const site: ServedSite = {
  siteId: 'site_1',
  slug: 'otter',
  deployId: null,
  manifest: null,
  program: null,
  anonymous: false,
  expiresAt: null,
  takenDown: false,
  modifiedAt: 0,
  visibility: 'public',
  passwordId: null,
  members: new Set(),
  robots: 'index',
  capabilities: { spa: false, listing: false, connector: false, analytics: false },
  revision: 2,
};

let index: DomainIndex;
let revisions: Record<string, number>;
beforeEach(() => {
  index = new DomainIndex();
  revisions = {};
});

function happened(hostname: string, ...events: HostnameEvent[]) {
  for (const event of events) {
    const revision = (revisions[hostname] ?? 0) + 1;
    revisions[hostname] = revision;
    const stored = { id: 'evt_1', at: noon, position: 1n, schema: 1, stored: '', hash: null, previousHash: null };
    index.apply({ ...event, ...stored, stream: domainStream(hostname), revision, actor: { kind: 'system' } });
  }
}

const settings = { siteId: 'site_1', redirectTo: null, visibility: null, hsts: false };

describe('Hostnames of sites', () => {
  it('a hostname shows its site once it is active', () => {
    happened(www, added(1));
    expect(index.at(www)).toBeUndefined();
    happened(www, activated(1));
    expect(index.at(www)).toEqual({ hostname: www, ...settings, revision: 2 });
  });

  it('a hostname shows its site while DNS records are missing, until the domain is lost', () => {
    happened(www, added(1), activated(1), missed(1));
    expect(index.at(www)).toBeDefined();
    happened(www, DomainFound({ siteId: 'site_1' }), missed(1), DomainLost({ siteId: 'site_1' }));
    expect(index.at(www)).toBeUndefined();
  });

  it('a hostname shows its site until the site removes the hostname', () => {
    happened(www, added(1), activated(1), added(2), DomainRemoved({ siteId: 'site_2' }));
    expect(index.at(www)).toMatchObject({ siteId: 'site_1' });
    happened(www, DomainRemoved({ siteId: 'site_1' }));
    expect(index.at(www)).toBeUndefined();
  });

  it('a hostname shows another site once DNS records name that site, or once the hostname is moved to it', () => {
    happened(www, added(1), activated(1), added(2), activated(2, 1));
    expect(index.at(www)).toMatchObject({ siteId: 'site_2' });
    const moved = { token: 'token_2', hsts: true, status: 'active', until: null } as const;
    happened(www, DomainMoved({ siteId: 'site_2', to: 'site_3', ...moved }));
    expect(index.at(www)).toMatchObject({ siteId: 'site_3' });
  });

  it('the settings of a hostname are changed only by events of the site that has the hostname', () => {
    const set = { ...settings, redirectTo: apex, visibility: 'members', hsts: true } as const;
    happened(www, added(1), DomainActivated({ ...set, replaced: null }));
    expect(index.at(www)).toMatchObject(set);
    happened(www, DomainChanged(settings));
    expect(index.at(www)).toMatchObject(settings);
    happened(www, DomainChanged({ ...set, siteId: 'site_2' }));
    expect(index.at(www)).toMatchObject(settings);
  });

  it('hostnames are loaded from the read model and updated by later events', () => {
    happened(www, added(1), activated(1));
    const row = { ...settings, hostname: www, revision: 3, id: '', status: 'active' as const, token: '', until: null };
    index.load({ ...row, addedAt: new Date(), activeAt: null, untold: false, hsts: true });
    happened(www, DomainChanged(settings));
    expect(index.at(www)).toMatchObject({ hsts: true });
    happened(www, DomainChanged(settings));
    expect(index.at(www)).toMatchObject({ hsts: false, revision: 4 });
  });
});

describe('Sites shown by a domain', () => {
  const shown = () => {
    const domain = index.at(www);
    return domain && index.shownBy(domain, site);
  };

  it('a domain shows the same site object until its settings or the site change', () => {
    happened(www, added(1), activated(1));
    expect(shown()).toBe(site);
    happened(www, DomainChanged({ ...settings, visibility: 'public' }));
    expect(shown()).toBe(site);
    happened(www, DomainChanged({ ...settings, visibility: 'members' }));
    const members = shown();
    expect(members).toEqual({ ...site, visibility: 'members' });
    expect(shown()).toBe(members);
    happened(www, DomainChanged({ ...settings, visibility: 'members', hsts: true }));
    expect(shown()).not.toBe(members);
  });
});

describe('Redirects between domains', () => {
  const sentTo = (hostname: string) => {
    const domain = index.at(hostname);
    return domain && index.redirectOf(domain);
  };
  const goesTo = (redirectTo: string, siteId = 'site_1') =>
    DomainActivated({ ...settings, siteId, redirectTo, replaced: null });

  it('a domain redirects to another domain while that domain is active', () => {
    happened(www, added(1), goesTo(apex));
    expect(sentTo(www)).toBeNull();
    happened(apex, added(1), activated(1));
    expect(sentTo(www)).toBe(apex);
    expect(sentTo(apex)).toBeNull();
    happened(apex, DomainLost({ siteId: 'site_1' }));
    expect(sentTo(www)).toBeNull();
  });

  it('redirects between domains never form a loop or lead to another site', () => {
    happened(www, added(1), goesTo(apex));
    happened(apex, added(1), goesTo(www));
    expect([sentTo(www), sentTo(apex)]).toEqual([null, null]);
    happened(apex, added(2), activated(2, 1));
    expect(sentTo(www)).toBeNull();
    happened(www, DomainChanged({ ...settings, redirectTo: www }));
    expect(sentTo(www)).toBeNull();
  });
});
