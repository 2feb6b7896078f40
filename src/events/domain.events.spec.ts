import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../test/support/events/stored-event.contract.js';
import { isChained } from './catalogue.js';
import {
  DomainActivated,
  DomainMoved,
  DomainRemoved,
  domainEvents,
  domainStream,
  listAffectedSites,
  readHostname,
} from './domain.events.js';

const siteId = 'site_01jd4v7h2kpf4s1w8v6y5x3q0n';
const to = 'site_01jd4v8k3mqg5t2x9w7z6y4r1p';
const token = 'q7e0v4k1m8b2n6c3';
const until = '2026-11-30T12:00:00.000Z';
const settings = { redirectTo: 'example.com', visibility: 'members', hsts: true } as const;

describe('Domain events', () => {
  storedEventContract(domainEvents, {
    DomainAdded: [{ siteId, token, redirectTo: 'example.com', until }],
    DomainChanged: [{ siteId, ...settings }],
    DomainActivated: [{ siteId, replaced: to, ...settings }],
    DomainMissed: [{ siteId, until }],
    DomainFound: [{ siteId }],
    DomainLost: [{ siteId }],
    DomainFailed: [{ siteId }],
    DomainMoved: [{ siteId, to, token, hsts: true, status: 'active', until }],
    DomainRemoved: [{ siteId }],
  });

  it('are stored under the hostname, without a hash chain', () => {
    expect(domainStream('www.example.com')).toBe('domain-www.example.com');
    expect(readHostname('domain-www.example.com')).toBe('www.example.com');
    expect(isChained(domainStream('site-1.example.com'))).toBe(false);
  });

  it('identify the sites whose claims they change', () => {
    const activated = { siteId, redirectTo: null, visibility: null, hsts: false };
    expect(listAffectedSites(DomainActivated({ ...activated, replaced: null }))).toEqual([siteId]);
    expect(listAffectedSites(DomainActivated({ ...activated, replaced: to }))).toEqual([siteId, to]);
    expect(listAffectedSites(DomainMoved({ siteId, to, token, hsts: false, status: 'pending', until }))).toEqual([
      siteId,
      to,
    ]);
    expect(listAffectedSites(DomainRemoved({ siteId }))).toEqual([siteId]);
  });
});
