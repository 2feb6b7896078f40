import { describe, expect, it } from '@jest/globals';
import { hostClassifier } from './hosts.js';

const service = { kind: 'service' };
const unknown = { kind: 'unknown' };
const site = (slug: string) => ({ kind: 'site', slug });

describe('The Host header on a public domain', () => {
  const of = hostClassifier({ baseUrl: 'https://api.stele.example', siteDomain: 'pages.example' });

  it.each([
    ['the host of the base URL', 'api.stele.example', service],
    ['the service with a port', 'api.stele.example:443', service],
    ['the service with a port on which it does not listen', 'api.stele.example:8080', service],
    ['the service with an empty port', 'api.stele.example:', service],
    ['the service in capitals', 'API.Stele.Example', service],
    ['the service with a trailing dot', 'api.stele.example.', service],
    ['the service with a trailing dot and a port', 'api.stele.example.:443', service],
    ['a site', 'amber-otter.pages.example', site('amber-otter')],
    ['a site with a port', 'amber-otter.pages.example:3000', site('amber-otter')],
    ['a site in capitals', 'Amber-Otter.PAGES.example', site('amber-otter')],
    ['a site with a trailing dot', 'amber-otter.pages.example.', site('amber-otter')],
    [
      'a past deploy',
      'dep-01jd4v8k3mqg5t2x9w7z6y4r1p.pages.example',
      { kind: 'preview', deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p' },
    ],
    [
      'a past deploy in capitals',
      'DEP-01JD4V8K3MQG5T2X9W7Z6Y4R1P.pages.example',
      { kind: 'preview', deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p' },
    ],
    ['a site whose name looks like a past deploy', 'dep-otter.pages.example', site('dep-otter')],
    ['two labels', 'a.b.pages.example', unknown],
    ['a past deploy under another label', 'dep-01jd4v8k3mqg5t2x9w7z6y4r1p.b.pages.example', unknown],
    ['no label', '.pages.example', unknown],
    ['the site domain itself', 'pages.example', unknown],
    ['a domain whose name ends with the site domain', 'evilpages.example', unknown],
    ['a domain whose name begins with a site’s host', 'amber-otter.pages.example.evil.example', unknown],
    ['a subdomain of the service', 'x.api.stele.example', unknown],
    ['a loopback name', 'localhost', unknown],
    ['a loopback address', '127.0.0.1', unknown],
    ['an IPv6 loopback address', '[::1]:443', unknown],
    ['an IP address', '203.0.113.7', unknown],
    ['an empty header', '', unknown],
    ['only a port', ':443', unknown],
    ['only a dot', '.', unknown],
    ['two trailing dots', 'api.stele.example..', unknown],
    ['two ports', 'api.stele.example:1:2', unknown],
    ['a port that is not a number', 'api.stele.example:https', unknown],
    ['a user name before the host', 'x@api.stele.example', unknown],
    ['a space', 'api.stele.example evil', unknown],
  ])('a Host header is classified correctly: %s', (_, header, destination) => expect(of(header)).toEqual(destination));

  it('a request without a Host header has an unknown host', () => expect(of(undefined)).toEqual(unknown));
});

describe('The Host header on a loopback address', () => {
  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'the Host header can be any loopback name if the base URL is %s',
    (baseUrl) => {
      const of = hostClassifier({ baseUrl, siteDomain: 'localhost:3000' });
      for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.0.0.1', '[::1]', '[::1]:3000']) {
        expect(of(host)).toEqual(service);
      }
      expect(of('::1')).toEqual(unknown);
      expect(of('127.0.0.2')).toEqual(unknown);
      expect(of('amber-otter.localhost:3000')).toEqual(site('amber-otter'));
    },
  );
});

describe('A domain that the service shares with its sites', () => {
  it('if the base URL’s host equals the site domain, that host leads to the service and subdomains to sites', () => {
    const of = hostClassifier({ baseUrl: 'https://stele.example', siteDomain: 'stele.example' });
    expect(of('stele.example')).toEqual(service);
    expect(of('amber-otter.stele.example')).toEqual(site('amber-otter'));
  });

  it('if the base URL’s host is below the site domain, that host leads to the service', () => {
    const of = hostClassifier({ baseUrl: 'https://app.stele.example', siteDomain: 'stele.example' });
    expect(of('app.stele.example')).toEqual(service);
    expect(of('amber-otter.stele.example')).toEqual(site('amber-otter'));
    expect(of('stele.example')).toEqual(unknown);
  });
});

it('The base URL may contain an IPv6 address', () => {
  const of = hostClassifier({ baseUrl: 'http://[2001:DB8::1]:8080', siteDomain: 'pages.example' });
  expect(of('[2001:db8::1]:8080')).toEqual(service);
  expect(of('[2001:db8::1]')).toEqual(service);
  expect(of('[2001:db8::2]:8080')).toEqual(unknown);
});
