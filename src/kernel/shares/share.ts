/**
 * Whose share of the service something counts towards: that of a person, or of the network of one subscriber (an IPv4
 * address, or the /64 of an IPv6 address). All unclaimed sites whose network is no longer known have one share together.
 */
export type Share =
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'network'; readonly network: string }
  | { readonly kind: 'unknown' };

/** What decides whose share a site counts towards. */
export type SiteHolders = {
  /** User IDs of the owners, the longest-standing first. */
  readonly owners: readonly string[];
  /** The network that created the site; null if it is not known. */
  readonly network: string | null;
};

/** A site counts for its longest-standing owner; without an owner, for the network that created it. */
export function shareOfSite({ owners: [owner], network }: SiteHolders): Share {
  return owner === undefined ? shareOfCaller(null, network) : { kind: 'person', userId: owner };
}

/** The share of a caller, for what belongs to no site yet. `userId` is null if the caller is not signed in. */
export function shareOfCaller(userId: string | null, network: string | null): Share {
  if (userId !== null) return { kind: 'person', userId };
  return network === null ? { kind: 'unknown' } : { kind: 'network', network };
}

/** A key that distinguishes shares. It contains the network, so it must not be stored as it is. */
export function shareKey(share: Share): string {
  if (share.kind === 'unknown') return 'unknown';
  return share.kind === 'person' ? `person ${share.userId}` : `network ${share.network}`;
}
