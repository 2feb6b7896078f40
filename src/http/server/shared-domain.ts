import { isIP } from 'node:net';
import { LOOPBACK } from './hosts.js';

type Announced = { readonly baseUrl: string; readonly siteDomain: string };

/**
 * Whether hosted pages may be of the same site as the service, in the sense of browsers: their requests then bring its
 * SameSite cookies, and they can set cookies for it. Compared by the last two labels, as no public suffix list is at
 * hand: under a suffix such as `co.uk` it says so too often, never too seldom but for a suffix of one's own.
 */
export function sharesDomain({ baseUrl, siteDomain }: Announced): boolean {
  const base = new URL(baseUrl).hostname;
  const sites = siteDomain.replace(/:\d+$/, '');
  // What a browser takes for this machine is nobody’s domain: each name under localhost is a site of its own.
  if (LOOPBACK.has(base) || isIP(base.replace(/^\[|\]$/g, '')) !== 0) return false;
  return registrable(base) === registrable(sites);
}

const registrable = (host: string) => host.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');
