import { describe, expect, it } from '@jest/globals';
import { computeSiteShare, shareKey, shareOfCaller } from './share.js';

describe('The owner or network to which a site’s usage is charged', () => {
  it('a site’s usage is charged to its longest-standing owner, wherever the site was created', () =>
    expect(computeSiteShare({ owners: ['usr_ann', 'usr_bob'], network: '192.0.2.1' })).toEqual({
      kind: 'person',
      userId: 'usr_ann',
    }));

  it('the usage of a site without an owner is charged to the network that created it', () =>
    expect(computeSiteShare({ owners: [], network: '2001:db8:1:2::/64' })).toEqual({
      kind: 'network',
      network: '2001:db8:1:2::/64',
    }));

  it('the usage of all ownerless sites from unknown networks is charged together', () =>
    expect(computeSiteShare({ owners: [], network: null })).toEqual({ kind: 'unknown' }));
});

describe('The user or network to which a caller’s usage is charged', () => {
  it('usage is charged to a signed-in user, or to the network of an anonymous caller', () => {
    expect(shareOfCaller('usr_ann', '192.0.2.1')).toEqual({ kind: 'person', userId: 'usr_ann' });
    expect(shareOfCaller(null, '192.0.2.1')).toEqual({ kind: 'network', network: '192.0.2.1' });
  });

  it('users, networks and unknown networks have different keys', () => {
    const keys = [shareOfCaller('x', null), shareOfCaller(null, 'x'), shareOfCaller(null, null)].map(shareKey);
    expect(new Set(keys).size).toBe(3);
  });
});
