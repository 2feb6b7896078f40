/**
 * The share of the service that something counts towards. It belongs to a user, or to the network of a subscriber (an
 * IPv4 address, or the /64 network of an IPv6 address). All unclaimed sites whose network is unknown have one share
 * together.
 */
export type Share =
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'network'; readonly network: string }
  | { readonly kind: 'unknown' };

/** The facts that determine whose share a site counts towards. */
export type SiteHolders = {
  /** User IDs of the owners, beginning with the longest-standing one. */
  readonly owners: readonly string[];
  /** The network that created the site, or null if unknown. */
  readonly network: string | null;
};

/**
 * Returns the share of the longest-standing owner. If there is no owner, returns that of the network that created the
 * site.
 */
export function computeSiteShare({ owners: [owner], network }: SiteHolders): Share {
  return owner === undefined ? shareOfCaller(null, network) : { kind: 'person', userId: owner };
}

/**
 * Returns the share of a caller, for anything that is not part of a site yet. `userId` is null if the caller is not
 * signed in.
 */
export function shareOfCaller(userId: string | null, network: string | null): Share {
  if (userId !== null) return { kind: 'person', userId };
  return network === null ? { kind: 'unknown' } : { kind: 'network', network };
}

/** Returns a key that distinguishes shares. It contains the network, so it must not be stored without hashing. */
export function shareKey(share: Share): string {
  if (share.kind === 'unknown') return 'unknown';
  return share.kind === 'person' ? `person ${share.userId}` : `network ${share.network}`;
}
