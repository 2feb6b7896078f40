import { describe, expect, it } from '@jest/globals';
import { sharesDomain } from './shared-domain.js';

describe('Sites and the service share a registrable domain', () => {
  it.each([
    ['when both are the same host', 'https://stele.example', 'stele.example'],
    ['when sites live under the service’s host', 'https://stele.example', 'sites.stele.example'],
    ['when the service lives under the domain of the sites', 'https://api.stele.example', 'stele.example'],
    ['when they have the same parent domain', 'https://api.stele.example', 'sites.stele.example'],
    ['whatever the ports', 'http://api.stele.example:8080', 'sites.stele.example:9090'],
    ['with the dot of the root', 'https://api.stele.example', 'sites.stele.example.'],
    ['when both are one name without a dot', 'http://intranet', 'intranet'],
  ])('%s', (_, baseUrl, siteDomain) => expect(sharesDomain({ baseUrl, siteDomain })).toBe(true));
});

describe('They do not', () => {
  it.each([
    ['with a domain each', 'https://stele.example', 'stele-sites.example'],
    ['where only the ends of the names are alike', 'https://stele.example', 'evilstele.example'],
    ['on this machine', 'http://localhost:3000', 'localhost:3000'],
    ['on this machine, by its address', 'http://127.0.0.1:3000', 'localhost:3000'],
    ['on this machine, by its IPv6 address', 'http://[::1]:3000', 'localhost:3000'],
    ['when the service is an address', 'http://192.0.2.7', 'x.2.7'],
  ])('%s', (_, baseUrl, siteDomain) => expect(sharesDomain({ baseUrl, siteDomain })).toBe(false));
});
