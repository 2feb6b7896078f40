import type { IncomingHttpHeaders } from 'node:http';
import { SessionCookie } from '../auth/cookies/session-cookie.js';
import { LOOPBACK } from '../server/hosts/hosts.js';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

type WriteRequest = { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders };

/**
 * Returns a function that reports whether a request has the session cookie, could change something, and comes from a
 * page of another origin (docs/interface/conventions.md, "Cross-site request forgery").
 */
export function forgeryCheck(baseUrl: string): (request: WriteRequest) => boolean {
  const cookie = new SessionCookie(baseUrl);
  const isOurs = ownOriginCheck(baseUrl);
  return ({ method = 'GET', headers }) => WRITES.has(method) && cookie.isIn(headers.cookie) && !isOurs(headers);
}

/**
 * Returns a function that reports whether a request comes from one of our own pages, or from no page. It reads
 * `Sec-Fetch-Site` or, if that is missing, `Origin`: over plain HTTP, browsers send `Sec-Fetch-Site` only to loopback
 * addresses. A request with neither header does not come from a page.
 */
export function ownOriginCheck(baseUrl: string): (headers: IncomingHttpHeaders) => boolean {
  const own = originsOf(baseUrl);
  return (headers) => {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin' || site === 'none';
    return headers.origin === undefined || own.has(headers.origin);
  };
}

/** All loopback names count as our own if the base URL has one (docs/interface/conventions.md, "Host names"). */
function originsOf(baseUrl: string): ReadonlySet<string> {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!LOOPBACK.has(hostname)) return new Set([origin]);
  return new Set([...LOOPBACK].map((name) => `${protocol}//${name}${port && `:${port}`}`));
}
