/**
 * The share of the service that something counts towards: that of a person, or of the network of one subscriber (an
 * IPv4
 * address, or the /64 of an IPv6 address). All unclaimed sites with an unknown network have one share together.
 */
export type Share =
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'network'; readonly network: string }
  | { readonly kind: 'unknown' };

/** The facts that determine whose share a site counts towards. */
export type SiteHolders = {
  /** User IDs of the owners, the longest-standing first. */
  readonly owners: readonly string[];
  /** The network that created the site; null if unknown. */
  readonly network: string | null;
};

/** Returns the share of the longest-standing owner, or without an owner, of the network that created the site. */
export function computeSiteShare({ owners: [owner], network }: SiteHolders): Share {
  return owner === undefined ? shareOfCaller(null, network) : { kind: 'person', userId: owner };
}

/** The share of a caller, for anything not yet part of a site. `userId` is null if the caller is not signed in. */
export function shareOfCaller(userId: string | null, network: string | null): Share {
  if (userId !== null) return { kind: 'person', userId };
  return network === null ? { kind: 'unknown' } : { kind: 'network', network };
}

/** Returns a key that distinguishes shares. It contains the network, so it must not be stored unhashed. */
export function shareKey(share: Share): string {
  if (share.kind === 'unknown') return 'unknown';
  return share.kind === 'person' ? `person ${share.userId}` : `network ${share.network}`;
}
