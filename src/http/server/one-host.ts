import type { IncomingMessage } from 'node:http';

/** A name, an IPv4 address or one of IPv6 in brackets, and a port (RFC 9110 section 7.2), as far as they lead to anybody. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~-]+)?(?::\d{0,5})?$/;

/** What a request to a proxy begins with (RFC 9112 section 3.2.2). */
const ABSOLUTE = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/i;

type Sent = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'httpVersion'>;

/**
 * Whether a request says once, and in one way, whom it is for. With two hosts, or one in its target and another in its
 * header, a proxy in front may have meant the other one: RFC 9112 sections 3.2 and 3.2.2. Every request for a page
 * comes by here, so that it reads what the parser made and not Node's object of all headers.
 */
export function namesOneHost({ rawHeaders, httpVersion, method, url = '/' }: Sent): boolean {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[at + 1] ?? '';
  }
  // HTTP/1.0 has no Host of its own.
  if (host === undefined && httpVersion !== '1.0') return false;
  if (host !== undefined && (host.length > 261 || !HOST.test(host))) return false;
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return true;
  const authority = ABSOLUTE.exec(url)?.[1];
  return authority !== undefined && authority.toLowerCase() === host?.toLowerCase();
}

/** The path and query of a request, which some send as a whole address. */
export function originForm(url: string): string {
  if (url.startsWith('/') || url === '*') return url;
  const path = url.replace(ABSOLUTE, '');
  return path.startsWith('/') ? path : `/${path}`;
}
