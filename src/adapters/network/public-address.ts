import ipaddr from 'ipaddr.js';

/** What is given out to the public today (IANA, IPv6 Global Unicast Address Assignments). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public Internet: in none of the ranges of RFC 6890 and its successors. An IPv6
 * address that carries an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) is none, whichever it carries.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_V6);
}

/** All addresses of a host name. Rejects, or answers none, where there are none. */
export type HostLookup = (host: string) => Promise<readonly string[]>;
