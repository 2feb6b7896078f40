import type { IncomingMessage } from 'node:http';

/**
 * A name, an IPv4 address or an IPv6 address in brackets, with or without a port (RFC 9110 section 7.2). Never empty,
 * because an http URL always has a host (section 4.2.1).
 */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~-]+)(?::\d{0,5})?$/;

/** The beginning of a request target in absolute form, which clients send to proxies (RFC 9112 section 3.2.2). */
const ABSOLUTE = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]*)/i;

type RequestLine = Pick<IncomingMessage, 'rawHeaders' | 'url' | 'method' | 'httpVersion'>;

/**
 * Reports whether a request names exactly one host. If there are two Host headers, or the target names another host, a
 * proxy in front may have routed the request by the host that this server ignores (RFC 9112 sections 3.2 and 3.2.2).
 * Reads the raw list, because building Node's object of all headers for every request costs too much.
 */
export function namesOneHost({ rawHeaders, httpVersion, method, url = '/' }: RequestLine): boolean {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[at + 1] ?? '';
  }
  // In HTTP/1.0, a request may lack the Host header.
  if (host === undefined && httpVersion !== '1.0') return false;
  if (host !== undefined && (host.length > 261 || !HOST.test(host))) return false;
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return true;
  const authority = ABSOLUTE.exec(url)?.[1];
  return authority !== undefined && authority.toLowerCase() === host?.toLowerCase();
}

/** Returns the path and query of a request target, which some clients send as an absolute URL. */
export function originForm(url: string): string {
  if (url.startsWith('/') || url === '*') return url;
  const path = url.replace(ABSOLUTE, '');
  return path.startsWith('/') ? path : `/${path}`;
}
