import { describe, expect, it } from '@jest/globals';
import { hostClassifier } from '../server/hosts/hosts.js';
import { ServiceUrls } from './service-urls.js';

describe('The URLs that the service announces', () => {
  const open = new ServiceUrls({
    baseUrl: 'https://stele.example',
    siteDomain: 'pages.example:8443',
    mcpUrl: 'https://stele.example/mcp',
    statusUrl: 'https://stele.example/status',
  });
  const local = new ServiceUrls({
    ...open,
    baseUrl: 'http://localhost:3000',
    siteDomain: 'localhost:3000',
  } as ServiceUrls);

  it('a site has a URL on its own host and one on the service’s host', () => {
    expect(open.site('amber-otter')).toBe('https://amber-otter.pages.example:8443/');
    expect(open.sitePath('amber-otter')).toBe('https://stele.example/s/amber-otter/');
    expect(local.site('amber-otter')).toBe('http://amber-otter.localhost:3000/');
  });

  it('a past deploy has a URL on the deploy’s own host', () => {
    const deployId = 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p';
    expect(open.preview(deployId)).toBe('https://dep-01jd4v8k3mqg5t2x9w7z6y4r1p.pages.example:8443/');
    expect(hostClassifier(open)(new URL(open.preview(deployId)).host)).toEqual({ kind: 'preview', deployId });
  });

  it('a claim URL contains the edit token only in the fragment, which browsers do not send', () => {
    const url = new URL(open.claim('amber-otter', 'stele_edit_x'));
    expect(url.hash).toBe('#token=stele_edit_x');
    expect(`${url.origin}${url.pathname}${url.search}`).toBe('https://stele.example/claim/amber-otter');
  });
});
