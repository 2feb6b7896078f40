import type { IncomingMessage } from 'node:http';

/**
 * A name, an IPv4 address or an IPv6 address in brackets, with a port or without (RFC 9110 section 7.2). It is never
 * empty: an http URL has a host (section 4.2.1).
 */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~-]+)(?::\d{0,5})?$/;

/** The beginning of a request target in absolute form, as proxies are sent it (RFC 9112 section 3.2.2). */
const ABSOLUTE = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/i;

type RequestLine = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'httpVersion'>;

/**
 * Whether a request names its host once and unambiguously. With two hosts, or one in its target and another in its
 * header, a proxy in front may have routed by the other one (RFC 9112 sections 3.2 and 3.2.2). Every request for a page
 * passes here, so that it reads the parser’s own list and not Node’s object of all headers.
 */
export function namesOneHost({ rawHeaders, httpVersion, method, url = '/' }: RequestLine): boolean {
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

/** The path and query of a request target, which some clients send as a whole URL. */
export function originForm(url: string): string {
  if (url.startsWith('/') || url === '*') return url;
  const path = url.replace(ABSOLUTE, '');
  return path.startsWith('/') ? path : `/${path}`;
}
