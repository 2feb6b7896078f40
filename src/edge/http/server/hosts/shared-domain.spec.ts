import { describe, expect, it } from '@jest/globals';
import { canClearCookies, canTossCookies, sharesDomain } from './shared-domain.js';

describe('Sites share a registrable domain with the service', () => {
  it.each([
    ['when both are the same host', 'https://stele.example', 'stele.example'],
    ['when sites are below the service’s host', 'https://stele.example', 'sites.stele.example'],
    ['when the service is below the site domain', 'https://api.stele.example', 'stele.example'],
    ['when they have the same parent domain', 'https://api.stele.example', 'sites.stele.example'],
    ['under a public suffix of two labels', 'https://api.stele.co.uk', 'stele.co.uk'],
    ['whatever the ports', 'http://api.stele.example:8080', 'sites.stele.example:9090'],
    ['with a trailing dot', 'https://api.stele.example', 'sites.stele.example.'],
    ['when both are the same name without a dot', 'http://intranet', 'intranet'],
  ])('a shared registrable domain is detected %s', (_, baseUrl, siteDomain) =>
    expect(sharesDomain({ baseUrl, siteDomain })).toBe(true),
  );
});

describe('Sites do not share a registrable domain with the service', () => {
  it.each([
    ['with separate domains', 'https://stele.example', 'stele-sites.example'],
    ['when one name merely ends with the other', 'https://stele.example', 'evilstele.example'],
    ['under the same public suffix', 'https://stele.co.uk', 'stele-sites.co.uk'],
    ['when the site domain is a public suffix', 'https://api.github.io', 'github.io'],
    ['when the service is at that public suffix', 'https://github.io', 'github.io'],
    ['on this machine', 'http://localhost:3000', 'localhost:3000'],
    ['on this machine, by its IPv4 address', 'http://127.0.0.1:3000', 'localhost:3000'],
    ['on this machine, by its IPv6 address', 'http://[::1]:3000', 'localhost:3000'],
    ['when the service’s host is an IP address', 'http://192.0.2.7', 'x.2.7'],
  ])('no shared registrable domain is detected %s', (_, baseUrl, siteDomain) =>
    expect(sharesDomain({ baseUrl, siteDomain })).toBe(false),
  );
});

it.each([
  ['stele-sites.example', true],
  ['sites.stele.co.uk', true],
  ['stele-sites.example:8443', true],
  ['a.github.io', true],
  ['github.io', false],
  ['GitHub.io.', false],
  ['co.uk', false],
  ['intranet', false],
  ['localhost:3000', false],
  ['sites.localhost', false],
  ['127.0.0.1:3000', false],
])('Sites below %s can set cookies for each other: %s', (siteDomain, expected) =>
  expect(canTossCookies({ baseUrl: 'https://stele.example', siteDomain })).toBe(expected),
);

it.each([
  ['https://stele.example', 'github.io', true],
  ['https://stele.example', 'stele-sites.example', false],
  ['https://stele.example', 'a.github.io', false],
  ['https://stele.example', 'intranet', false],
  ['https://github.io', 'github.io', false],
  ['https://api.github.io', 'github.io', false],
  ['https://stele.example', 'localhost:3000', false],
])(
  "If the service is at %s and sites are below %s, a site's host can clear its own cookies: %s",
  (baseUrl, siteDomain, expected) => expect(canClearCookies({ baseUrl, siteDomain })).toBe(expected),
);
