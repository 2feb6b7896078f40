import { isIP } from 'node:net';
import { LOOPBACK } from './hosts.js';

type AnnouncedUrls = { readonly baseUrl: string; readonly siteDomain: string };

/**
 * Whether browsers may take hosted pages and the service for the same site: requests from those pages would then carry
 * the service’s SameSite cookies, and those pages could set cookies for it. Compares the last two labels, since there
 * is no public suffix list here: under a suffix such as `co.uk` it says yes too often, and says no wrongly only for a
 * private suffix.
 */
export function sharesDomain({ baseUrl, siteDomain }: AnnouncedUrls): boolean {
  const base = new URL(baseUrl).hostname;
  const sites = siteDomain.replace(/:\d+$/, '');
  // To a browser each name under localhost is a site of its own.
  if (LOOPBACK.has(base) || isIP(base.replace(/^\[|\]$/g, '')) !== 0) return false;
  return registrable(base) === registrable(sites);
}

const registrable = (host: string) => host.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');
