import type { IncomingHttpHeaders } from 'node:http';
import { SessionCookie } from '../auth/cookies/session-cookie.js';
import { LOOPBACK } from '../server/hosts/hosts.js';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

type WriteRequest = { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders };

/**
 * Makes the check against cross-site request forgery (docs/interface/conventions.md, "Cross-site request forgery"):
 * whether a request carries the session cookie, may change something, and was made by a page of another origin.
 */
export function forgeryCheck(baseUrl: string): (request: WriteRequest) => boolean {
  const cookie = new SessionCookie(baseUrl);
  const isOurs = ownOriginCheck(baseUrl);
  return ({ method = 'GET', headers }) => WRITES.has(method) && cookie.isIn(headers.cookie) && !isOurs(headers);
}

/**
 * Makes the check whether a request was made by one of our own pages, or by no page at all. `Sec-Fetch-Site` decides
 * where it is sent (on plain http browsers omit it, except on loopback), else `Origin`. A request with neither was not
 * made by a page.
 */
export function ownOriginCheck(baseUrl: string): (headers: IncomingHttpHeaders) => boolean {
  const own = originsOf(baseUrl);
  return (headers) => {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin' || site === 'none';
    return headers.origin === undefined || own.has(headers.origin);
  };
}

/** On a loopback base URL all loopback names are ours (docs/interface/conventions.md, "Host names"). */
function originsOf(baseUrl: string): ReadonlySet<string> {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!LOOPBACK.has(hostname)) return new Set([origin]);
  return new Set([...LOOPBACK].map((name) => `${protocol}//${name}${port && `:${port}`}`));
}
