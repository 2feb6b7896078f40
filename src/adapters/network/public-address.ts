import ipaddr from 'ipaddr.js';

/** The block of assigned public addresses (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Reports whether an address is in none of the ranges in RFC 6890 and its successors. An IPv6 address that contains an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) is never public.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
}

/** Returns all addresses of a host. If there are none, rejects or returns an empty list. */
export type HostLookup = (host: string) => Promise<readonly string[]>;
