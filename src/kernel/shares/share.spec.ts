import { describe, expect, it } from '@jest/globals';
import { computeSiteShare, shareKey, shareOfCaller } from './share.js';

describe('The share to which a site belongs', () => {
  it('is that of its longest-standing owner, wherever the site was created', () =>
    expect(computeSiteShare({ owners: ['usr_ann', 'usr_bob'], network: '192.0.2.1' })).toEqual({
      kind: 'person',
      userId: 'usr_ann',
    }));

  it('is that of the network that created the site if it has no owner', () =>
    expect(computeSiteShare({ owners: [], network: '2001:db8:1:2::/64' })).toEqual({
      kind: 'network',
      network: '2001:db8:1:2::/64',
    }));

  it('is the same for all ownerless sites whose network is unknown', () =>
    expect(computeSiteShare({ owners: [], network: null })).toEqual({ kind: 'unknown' }));
});

describe('The share to which a caller belongs', () => {
  it('is the user’s own for a signed-in user, and that of the network for anyone else', () => {
    expect(shareOfCaller('usr_ann', '192.0.2.1')).toEqual({ kind: 'person', userId: 'usr_ann' });
    expect(shareOfCaller(null, '192.0.2.1')).toEqual({ kind: 'network', network: '192.0.2.1' });
  });

  it('has a unique key', () => {
    const keys = [shareOfCaller('x', null), shareOfCaller(null, 'x'), shareOfCaller(null, null)].map(shareKey);
    expect(new Set(keys).size).toBe(3);
  });
});
