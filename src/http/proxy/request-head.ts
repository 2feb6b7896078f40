import { isHopByHop, namedIn } from './hop-by-hop.js';
import { withoutOwnCookies } from './own-cookies.js';

/** A request as it was sent. */
export type SentLine = {
  readonly method: string;
  readonly url: string;
  /** Names and values by turns. */
  readonly rawHeaders: readonly string[];
};

/** What the program is told of where a request comes from. */
export type RequestOrigin = {
  /** The visitor’s address. */
  readonly address: string;
  readonly proto: 'http' | 'https';
  readonly requestId: string;
};

/** Said by us, whatever the visitor said of it; framing and host are written anew. In lower case. */
const SAID_BY_US: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'x-real-ip',
  'x-request-id',
]);
const SAID_BY_US_LENGTHS: ReadonlySet<number> = new Set([...SAID_BY_US].map(({ length }) => length));

/** Of the service’s own interface, and what processes of it tell each other. */
const OWN = /^x-(?:forwarded|svc|stele)(?:-|$)/;

/** Tokens that the service hands out: edit tokens, sessions, access tokens. */
const OWN_TOKEN = /stele_[a-z]/i;

/**
 * The head that a program gets, with a line break after each field, without framing and without the empty line. Values
 * are those of a parsed request, so that they have no line breaks.
 */
export function requestHead(sent: SentLine, origin: RequestOrigin, isUpgrade: boolean): string {
  const { method, url, rawHeaders } = sent;
  const named = namedByConnection(rawHeaders);
  let host = '';
  let fields = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') host = value;
    else if (isPassedOn(name, named)) fields += fieldOf(name, value);
  }
  return (
    `${method} ${url} HTTP/1.1\r\nhost: ${host}\r\n${fields}` +
    `x-forwarded-for: ${origin.address}\r\nx-forwarded-proto: ${origin.proto}\r\nx-forwarded-host: ${host}\r\n` +
    `x-request-id: ${origin.requestId}\r\n${isUpgrade ? UPGRADE : ''}`
  );
}

const UPGRADE = 'connection: Upgrade\r\nupgrade: websocket\r\n';

function fieldOf(name: string, value: string): string {
  if (name.length === 6 && name.toLowerCase() === 'cookie') {
    const cookies = withoutOwnCookies(value);
    return cookies === '' ? '' : `cookie: ${cookies}\r\n`;
  }
  if (name.length === 13 && name.toLowerCase() === 'authorization' && OWN_TOKEN.test(value)) return '';
  return `${name}: ${value}\r\n`;
}

function isPassedOn(name: string, named: ReadonlySet<string>): boolean {
  if (isHopByHop(name)) return false;
  const isOfX = (name[0] === 'x' || name[0] === 'X') && name.length > 4;
  if (!isOfX && !SAID_BY_US_LENGTHS.has(name.length) && named.size === 0 && !name.includes('_')) return true;
  const lower = name.toLowerCase();
  // To many a program `x_forwarded_for` is the same field (RFC 3875 section 4.1.18).
  const alike = lower.replaceAll('_', '-');
  return !SAID_BY_US.has(alike) && !OWN.test(alike) && !named.has(lower);
}

const NONE: ReadonlySet<string> = new Set();

function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  let named = NONE;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const more = namedIn(rawHeaders[at + 1] ?? '');
    if (more.size > 0) named = named.size === 0 ? more : new Set([...named, ...more]);
  }
  return named;
}
