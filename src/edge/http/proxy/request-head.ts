import { isHopByHop, parseConnectionOptions } from './hop-by-hop.js';
import { byName } from './name-cache.js';
import { withoutOwnCookies } from './own-cookies.js';

export type SentLine = {
  readonly method: string;
  readonly url: string;
  /** Alternating header names and values. */
  readonly rawHeaders: readonly string[];
};

export type RequestOrigin = {
  readonly address: string;
  readonly proto: 'http' | 'https';
  readonly requestId: string;
};

/** Fields that the service always sets or removes, in lower case. */
const SAID_BY_US: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'forwarded',
  'http2-settings',
  'x-real-ip',
  'x-request-id',
]);

/** Fields of the service's own API and fields that its processes send each other. */
const OWN = /^x-(?:forwarded|svc|stele)(?:-|$)/;

/** Tokens that the service issues, such as edit, session and access tokens. */
const OWN_TOKEN = /stele_[a-z]/i;

/**
 * Returns the request head for the server, without framing fields and the final empty line. The values come from a
 * parsed request, so they contain no line breaks.
 */
export function requestHead(sent: SentLine, origin: RequestOrigin, isUpgrade: boolean): string {
  const { method, url, rawHeaders } = sent;
  const named = namedByConnection(rawHeaders);
  let host = '';
  let fields = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    const verdict = verdictOn(name);
    if (verdict === 'host') host = value;
    else if (verdict !== 'never' && !(named.size > 0 && named.has(name.toLowerCase())))
      fields += fieldOf(name, value, verdict);
  }
  return (
    `${method} ${url} HTTP/1.1\r\nhost: ${host}\r\n${fields}` +
    `x-forwarded-for: ${origin.address}\r\nx-forwarded-proto: ${origin.proto}\r\nx-forwarded-host: ${host}\r\n` +
    `x-request-id: ${origin.requestId}\r\n${isUpgrade ? UPGRADE : ''}`
  );
}

const UPGRADE = 'connection: Upgrade\r\nupgrade: websocket\r\n';

function fieldOf(name: string, value: string, verdict: RequestFieldVerdict): string {
  if (verdict === 'cookie') {
    const cookies = withoutOwnCookies(value);
    return cookies === '' ? '' : `cookie: ${cookies}\r\n`;
  }
  if (verdict === 'authorization' && OWN_TOKEN.test(value)) return '';
  return `${name}: ${value}\r\n`;
}

type RequestFieldVerdict = 'passed on' | 'never' | 'host' | 'cookie' | 'authorization';

const verdictOn = byName((name): RequestFieldVerdict => {
  const lower = name.toLowerCase();
  if (lower === 'host' || lower === 'cookie' || lower === 'authorization') return lower;
  // Many servers treat `x_forwarded_for` like the name with hyphens (RFC 3875 section 4.1.18).
  const alike = lower.replaceAll('_', '-');
  return isHopByHop(alike) || SAID_BY_US.has(alike) || OWN.test(alike) ? 'never' : 'passed on';
});

const NONE: ReadonlySet<string> = new Set();

function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  let named = NONE;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const more = parseConnectionOptions(rawHeaders[at + 1] ?? '');
    if (more.size > 0) named = named.size === 0 ? more : new Set([...named, ...more]);
  }
  return named;
}
