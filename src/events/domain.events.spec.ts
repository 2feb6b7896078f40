import { describe, expect, it } from '@jest/globals';
import { isChained } from './catalogue.js';
import {
  DomainActivated,
  DomainMoved,
  DomainRemoved,
  domainStream,
  listAffectedSites,
  readHostname,
} from './domain.events.js';

const { siteId, to } = DomainMoved.example;

describe('Domain events', () => {
  it('domain events are stored under the hostname, without a hash chain', () => {
    expect(domainStream('www.example.com')).toBe('domain-www.example.com');
    expect(readHostname('domain-www.example.com')).toBe('www.example.com');
    expect(isChained(domainStream('site-1.example.com'))).toBe(false);
  });

  it('domain events name the sites that gain or lose the domain', () => {
    const activated = DomainActivated.example;
    expect(listAffectedSites(DomainActivated({ ...activated, replaced: null }))).toEqual([siteId]);
    expect(listAffectedSites(DomainActivated({ ...activated, replaced: to }))).toEqual([siteId, to]);
    expect(listAffectedSites(DomainMoved(DomainMoved.example))).toEqual([siteId, to]);
    expect(listAffectedSites(DomainRemoved({ siteId }))).toEqual([siteId]);
  });
});
