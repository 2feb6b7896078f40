import type { IncomingHttpHeaders } from 'node:http';
import { SessionCookie } from '../auth/session-cookie.js';
import { LOOPBACK } from '../server/hosts.js';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

type WriteRequest = { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders };

/**
 * The one rule against forged writes (docs/interface.md, "Forged writes"): tells whether a request that
 * carries the session cookie and may change something was made by a page that is not ours.
 */
export function forgeryCheck(baseUrl: string): (request: WriteRequest) => boolean {
  const cookie = new SessionCookie(baseUrl);
  const isOurs = ownOriginCheck(baseUrl);
  return ({ method = 'GET', headers }) => WRITES.has(method) && cookie.isIn(headers.cookie) && !isOurs(headers);
}

/**
 * Whether one of our own pages asks, or no browser: `Sec-Fetch-Site` decides where it is sent (browsers leave it out on
 * plain http, but for loopback), else `Origin`; a request with neither was not made by a page.
 */
export function ownOriginCheck(baseUrl: string): (headers: IncomingHttpHeaders) => boolean {
  const own = originsOf(baseUrl);
  return (headers) => {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin' || site === 'none';
    return headers.origin === undefined || own.has(headers.origin);
  };
}

/** On a loopback base address its other names are ours too (docs/interface.md, "Host names"). */
function originsOf(baseUrl: string): ReadonlySet<string> {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!LOOPBACK.has(hostname)) return new Set([origin]);
  return new Set([...LOOPBACK].map((name) => `${protocol}//${name}${port && `:${port}`}`));
}
