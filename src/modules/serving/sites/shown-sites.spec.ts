import { describe, expect, it } from '@jest/globals';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { ClaimSettings } from '../../../events/domain.events.js';
import { DomainIndex } from './domain-index.js';
import type { ServedSite } from './served-site.js';
import { headersOfResolved, SiteResolver } from './shown-sites.js';
import { parseTarget } from './target.js';

const site: ServedSite = {
  siteId: 'site_1',
  slug: 'otter',
  deployId: 'dep_live',
  manifest: 'b'.repeat(64),
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

/** Returns what `www.example.com` shows if its domain has these settings. */
async function shown(set: Partial<ClaimSettings>, { path = '/', scheme = 'https', others = [] as string[] } = {}) {
  const domains = new DomainIndex();
  const none = {
    redirectTo: null,
    visibility: null,
    hsts: false,
    revision: 2,
    siteId: 'site_1',
    status: 'active' as const,
  };
  const rest = { id: '', token: '', until: null, addedAt: new Date(), activeAt: null, untold: false };
  domains.load({ ...none, ...rest, ...set, hostname: 'www.example.com' });
  for (const hostname of others) domains.load({ ...none, ...rest, hostname });
  const siteOn = (hostname: string) => {
    const domain = domains.at(hostname);
    return domain && domains.shownBy(domain, site);
  };
  const index = { site: () => site, siteById: () => site, siteOn, domains };
  const baseUrl = `${scheme}://stele.example`;
  const urls = new ServiceUrls({ baseUrl, siteDomain: 'pages.example:8443', mcpUrl: '', statusUrl: '' });
  const resolver = new SiteResolver(index, { find: async () => null }, urls);
  const target = parseTarget({ kind: 'domain', hostname: 'www.example.com' }, path);
  const resolved = target && (await resolver.at(target));
  if (!resolved) throw new Error('It shows nothing.');
  return { resolved, headers: headersOfResolved(resolved, 'host'), redirect: resolver.redirect(resolved, path) };
}

describe('Domains', () => {
  it('a domain shows the site that it belongs to', async () => {
    const { resolved, headers, redirect } = await shown({});
    expect(resolved).toMatchObject({ site, manifest: site.manifest, noindex: false });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(redirect).toBeNull();
  });

  it('a domain sends HSTS over HTTPS if HSTS is enabled', async () => {
    const hsts = { 'strict-transport-security': 'max-age=31536000' };
    expect((await shown({ hsts: true })).headers).toMatchObject(hsts);
    expect((await shown({ hsts: true, visibility: 'members' })).headers).toMatchObject(hsts);
    expect((await shown({ hsts: true }, { scheme: 'http' })).headers).not.toMatchObject(hsts);
  });

  it('a domain can have a different visibility from its site', async () => {
    const { resolved, headers } = await shown({ visibility: 'members' });
    expect(resolved.site.visibility).toBe('members');
    expect(headers['cache-control']).toMatch(/private/);
  });

  it.each([
    ['/', 'https://example.com:8443/'],
    ['/docs/a%20b?c=d&e', 'https://example.com:8443/docs/a%20b?c=d&e'],
    ['//evil.example/a', 'https://example.com:8443//evil.example/a'],
    ['/\\evil.example', 'https://example.com:8443/\\evil.example'],
    ['http://www.example.com/a?b', 'https://example.com:8443/a?b'],
  ])('a domain redirects to the same path on another domain of the site: %s', async (path, location) => {
    const { redirect } = await shown({ redirectTo: 'example.com' }, { path, others: ['example.com'] });
    expect(redirect).toBe(location);
    expect(new URL(redirect ?? '').host).toBe('example.com:8443');
  });
});

describe('Deploys that are servers', () => {
  const runs = { ...site, program: 'container' as const };
  const index = { site: () => runs, siteById: () => runs, siteOn: () => undefined, domains: new DomainIndex() };
  const past = { siteId: 'site_1', manifest: 'c'.repeat(64), program: 'next' as const, modifiedAt: 0 };
  const baseUrl = 'https://stele.example';
  const urls = new ServiceUrls({ baseUrl, siteDomain: 'pages.example', mcpUrl: '', statusUrl: '' });
  const resolver = new SiteResolver(index, { find: async () => past }, urls);
  const named = { siteId: 'site_1', slug: 'otter' };

  it('a server deploy resolves to a server instead of files, whether it is live or an earlier deploy', async () => {
    const live = parseTarget({ kind: 'site', slug: 'otter' }, '/');
    const deploy = { ...named, deployId: 'dep_live', digest: site.manifest, kind: 'container' };
    expect(live && (await resolver.at(live))).toMatchObject({ manifest: null, deploy });
    const preview = parseTarget({ kind: 'preview', deployId: 'dep_past' }, '/');
    const before = { ...named, deployId: 'dep_past', digest: past.manifest, kind: 'next' };
    expect(preview && (await resolver.at(preview))).toMatchObject({ manifest: null, deploy: before });
  });
});
