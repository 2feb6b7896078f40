import { isIP } from 'node:net';
import { getDomain, parse } from 'tldts';
import { LOOPBACK, nameInHost } from './hosts.js';

type AnnouncedUrls = { readonly baseUrl: string; readonly siteDomain: string };

/**
 * Reports whether browsers treat sites and the service as the same site. If they do, requests from sites carry the
 * service’s SameSite cookies, and sites can set cookies for the service.
 */
export function sharesDomain(urls: AnnouncedUrls): boolean {
  const [base, sites] = namesIn(urls);
  // Browsers treat each name under localhost as a separate site.
  if (isLocal(base)) return false;
  if (base === sites) return !isPublicSuffix(sites);
  return registrable(base) === registrable(`any-site.${sites}`);
}

/**
 * Reports whether each site can set cookies for all others. Browsers allow this unless the site domain is on the Public
 * Suffix List or has only one label.
 */
export function canTossCookies(urls: AnnouncedUrls): boolean {
  const [, sites] = namesIn(urls);
  return sites.includes('.') && !isLocal(sites) && !isPublicSuffix(sites);
}

/**
 * Reports whether `clear-site-data: "cookies"` from a site's host clears only that site's cookies. Browsers clear the
 * cookies of the whole registrable domain. Even without the private section of the Public Suffix List, this domain must
 * differ from the service's, because a browser may have an older list.
 */
export function canClearCookies(urls: AnnouncedUrls): boolean {
  const [base, sites] = namesIn(urls);
  return isPublicSuffix(sites) && getDomain(base) !== sites;
}

const namesIn = ({ baseUrl, siteDomain }: AnnouncedUrls) =>
  [nameInHost(new URL(baseUrl).hostname), nameInHost(siteDomain)] as const;

const isLocal = (host: string) =>
  LOOPBACK.has(host) || host.endsWith('.localhost') || isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/**
 * Reports whether a host is on the Public Suffix List, either as an official suffix or as one that a company has
 * registered, such as github.io.
 */
function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  return publicSuffix === host && (isIcann === true || isPrivate === true);
}

const registrable = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? host;
