import type { PlainRequest } from '../../http/server/first-handler.js';

/** Maximum size of a request head. Larger heads are rare and are left to Node’s parser. */
const MAX_BYTES = 8_192;

/**
 * The request line and fields as defined by RFC 9112, sections 3 and 5, in their strictest form: origin form, no
 * obsolete folding, no white space before a colon, CRLF at the end of every line, and no bytes after the head.
 */
const HEAD =
  /^(GET|HEAD) (\/[\x21-\x7e]*) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+)\r\n$/;

/**
 * Parses a request that has no body and whose head arrived in a single chunk with nothing after it. For any other
 * request, returns null, and Node’s parser reads the bytes from the start. An unusual request is therefore interpreted
 * by only one parser.
 */
export function plainRequest(bytes: Buffer): PlainRequest | null {
  if (bytes.length > MAX_BYTES) return null;
  const [, method, url, fields] = HEAD.exec(bytes.toString('latin1')) ?? [];
  if (fields === undefined) return null;

  const rawHeaders: string[] = [];
  let hosts = 0;
  let keepAlive = true;
  for (let at = 0; at < fields.length; ) {
    const colon = fields.indexOf(':', at);
    const end = fields.indexOf('\r', colon);
    const name = fields.slice(at, colon);
    const value = trimmed(fields, colon + 1, end);
    rawHeaders.push(name, value);
    at = end + 2;
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === 'host') hosts++;
        break;
      case 10: {
        if (name.toLowerCase() !== 'connection') break;
        const option = value.toLowerCase();
        if (option === 'close') keepAlive = false;
        else if (option !== 'keep-alive') return null;
        break;
      }
      case 6:
      case 7:
      case 14:
      case 17:
        if (NEEDS_NODE.has(name.toLowerCase())) return null;
        break;
    }
  }
  if (hosts !== 1) return null;
  return { method: method === 'HEAD' ? 'HEAD' : 'GET', url: url ?? '/', rawHeaders, keepAlive, bytes: bytes.length };
}

/** A request with any of these fields has a body or needs negotiation. */
const NEEDS_NODE = new Set(['expect', 'upgrade', 'content-length', 'transfer-encoding']);

const SPACE = 0x20;
const TAB = 0x09;

/** Removes spaces and tabs only. `String.trim` would remove more characters than RFC 9110 section 5.5 allows. */
function trimmed(text: string, first: number, end: number): string {
  const isBlank = (at: number) => text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB;
  while (first < end && isBlank(first)) first++;
  while (end > first && isBlank(end - 1)) end--;
  return text.slice(first, end);
}

/**
 * Returns the headers, keyed by lowercase name. Returns null if a name occurs twice, because Node has special rules for
 * duplicates.
 */
export function headersByName(rawHeaders: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (Object.hasOwn(headers, name) || name === '__proto__') return null;
    headers[name] = rawHeaders[at + 1] ?? '';
  }
  return headers;
}
