import { describe, expect, it } from '@jest/globals';
import { shareKey, shareOfCaller, shareOfSite } from './share.js';

describe('The share of a site', () => {
  it('is that of its longest-standing owner, wherever the site was created', () =>
    expect(shareOfSite({ owners: ['usr_ann', 'usr_bob'], network: '192.0.2.1' })).toEqual({
      kind: 'person',
      userId: 'usr_ann',
    }));

  it('is that of the network that created it, as long as it has no owner', () =>
    expect(shareOfSite({ owners: [], network: '2001:db8:1:2::/64' })).toEqual({
      kind: 'network',
      network: '2001:db8:1:2::/64',
    }));

  it('is shared by all unclaimed sites whose network is not known', () =>
    expect(shareOfSite({ owners: [], network: null })).toEqual({ kind: 'unknown' }));
});

describe('The share of a caller', () => {
  it('is their own if they are signed in, otherwise that of their network', () => {
    expect(shareOfCaller('usr_ann', '192.0.2.1')).toEqual({ kind: 'person', userId: 'usr_ann' });
    expect(shareOfCaller(null, '192.0.2.1')).toEqual({ kind: 'network', network: '192.0.2.1' });
  });

  it('has a key of its own', () => {
    const keys = [shareOfCaller('x', null), shareOfCaller(null, 'x'), shareOfCaller(null, null)].map(shareKey);
    expect(new Set(keys).size).toBe(3);
  });
});
