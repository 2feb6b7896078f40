import { isIP } from 'node:net';
import { getDomain, parse } from 'tldts';
import { LOOPBACK, nameInHost } from './hosts.js';

type AnnouncedUrls = { readonly baseUrl: string; readonly siteDomain: string };

/**
 * Whether browsers treat hosted pages and the service as the same site. If so, requests from those pages carry the
 * service’s SameSite cookies, and those pages can set cookies for it.
 */
export function sharesDomain(urls: AnnouncedUrls): boolean {
  const [base, sites] = namesIn(urls);
  // To a browser, each name under localhost is a separate site.
  if (isLocal(base)) return false;
  if (base === sites) return !isPublicSuffix(sites);
  return registrable(base) === registrable(`any-site.${sites}`);
}

/**
 * Whether each site can set cookies for all others. Browsers allow this unless the site domain is on the Public Suffix
 * List or has only one label.
 */
export function canTossCookies(urls: AnnouncedUrls): boolean {
  const [, sites] = namesIn(urls);
  return sites.includes('.') && !isLocal(sites) && !isPublicSuffix(sites);
}

/**
 * Whether `clear-site-data: "cookies"` from a site’s host clears the cookies of that site only. A browser clears those
 * of the whole registrable domain. A visitor’s browser may have an older list than ours. Therefore that domain must not
 * be the service’s even without the suffixes that companies have added.
 */
export function canClearCookies(urls: AnnouncedUrls): boolean {
  const [base, sites] = namesIn(urls);
  return isPublicSuffix(sites) && getDomain(base) !== sites;
}

const namesIn = ({ baseUrl, siteDomain }: AnnouncedUrls) =>
  [nameInHost(new URL(baseUrl).hostname), nameInHost(siteDomain)] as const;

const isLocal = (host: string) =>
  LOOPBACK.has(host) || host.endsWith('.localhost') || isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** Includes suffixes of companies, such as github.io (https://publicsuffix.org/list/). */
function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true });
  return publicSuffix === host && (isIcann === true || isPrivate === true);
}

const registrable = (host: string) => getDomain(host, { allowPrivateDomains: true }) ?? host;
