/**
 * A user or network whose total use of the service is limited. A network is an IPv4 address or an IPv6 /64. All sites
 * without an owner and with an unknown network are counted as one.
 */
export type Share =
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'network'; readonly network: string }
  | { readonly kind: 'unknown' };

export type SiteHolders = {
  /** IDs of the site’s owners, beginning with the longest-standing one. */
  readonly owners: readonly string[];
  /** The network that created the site, or null if unknown. */
  readonly network: string | null;
};

/**
 * Returns the share (a user or network) that a site’s usage counts against: the longest-standing owner or, if the site
 * has no owner, the network that created it.
 */
export function computeSiteShare({ owners: [owner], network }: SiteHolders): Share {
  return owner === undefined ? shareOfCaller(null, network) : { kind: 'person', userId: owner };
}

/**
 * Returns the share (a user or network) that usage counts against before a site exists. `userId` is null if the caller
 * is not signed in.
 */
export function shareOfCaller(userId: string | null, network: string | null): Share {
  if (userId !== null) return { kind: 'person', userId };
  return network === null ? { kind: 'unknown' } : { kind: 'network', network };
}

/**
 * Returns a unique key for the share of a user or network. The key can contain an IP address, so hash it before storing
 * it.
 */
export function shareKey(share: Share): string {
  if (share.kind === 'unknown') return 'unknown';
  return share.kind === 'person' ? `person ${share.userId}` : `network ${share.network}`;
}
