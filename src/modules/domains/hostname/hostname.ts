import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { lookAlikeWarning } from './look-alike.js';

/**
 * A valid hostname and names derived from it. Except for `unicode`, all are in punycode and lower case, without a
 * trailing dot.
 */
export type Hostname = {
  readonly hostname: string;
  readonly unicode: string;
  /** The registered domain: the public suffix and the label directly before it. */
  readonly registrable: string;
  /**
   * The registrable name with `www.` in front or, if this hostname already is that name, the registrable name alone.
   * Null for any other subdomain.
   */
  readonly pair: string | null;
  /** Warning that people could mistake the name for another one. Null if that is unlikely. */
  readonly warning: string | null;
};

/** Limits of certificate authorities (Boulder, `policy/pa.go`), which are stricter than those of DNS. */
const MAX_CHARACTERS = 230;
const MAX_LABEL_CHARACTERS = 63;
const MAX_LABELS = 10;

/**
 * Characters that are invalid in a hostname. A URL parser would strip or decode them, or end the hostname there (WHATWG
 * URL, 3.5).
 */
const NO_NAME = /[\p{Control}\s"#%&'()+,/:;<=>?@[\\\]^`{|}~!$]/u;

/** Pattern of a hostname for /openapi.json. It can't express which names are public or can be registered. */
export const HOSTNAME = (() => {
  const letter = '[^\\u0000-\\u0020\\u007f-\\u009f\\s"#%&\'()*+,./:;<=>?@\\[\\\\\\]^_`{|}~!$]';
  return `^\\s*${letter}+(?:\\.${letter}+)+\\.?\\s*$`;
})();

/**
 * Parses a hostname. Refuses it with `invalid_request` and the reason if it is not public or can't be registered, or if
 * it belongs to the service: it is equal to or below one of `ours`, the hosts of the service and its sites.
 */
export function parseHostname(text: string, ours: readonly string[]): Hostname {
  const written = text.trim();
  if (written === '') no('must not be empty');
  if (written.length > 253) no(`must have at most ${MAX_CHARACTERS} characters`);
  if (isAddress(written)) no('must be a hostname such as www.example.com, not an IP address');
  if (NO_NAME.test(written)) no('must be a hostname only, such as www.example.com, without https://, a path or a port');
  if (written.includes('*')) no('must not be a wildcard; add each hostname separately');
  if (written.includes('_')) no('must not contain an underscore');

  const hostname = domainToASCII(written).replace(/\.$/, '');
  const unicode = domainToUnicode(hostname);
  if (isIP(hostname) !== 0) no('must be a hostname such as www.example.com, not an IP address');
  if (hostname === '' || !isPunycode(hostname))
    no('is not a valid domain name under the standards for internationalized domain names');
  refuseLabels(hostname);
  refuseReserved(hostname);
  if (ours.some((name) => hostname === name || hostname.endsWith(`.${name}`)))
    no('belongs to this service and does not need to be added');

  const registrable = registrableOf(hostname);
  return { hostname, unicode, registrable, pair: pairOf(hostname, registrable), warning: lookAlikeWarning(unicode) };
}

/** The service's own hostnames without ports, for `parseHostname`. Omits IP addresses. */
export const ownNames = (urls: { readonly baseUrl: string; readonly siteDomain: string }): string[] =>
  [new URL(urls.baseUrl).hostname, urls.siteDomain.replace(/:\d+$/, '')]
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => !isAddress(name));

function refuseLabels(hostname: string): void {
  if (hostname.length > MAX_CHARACTERS) no(`must have at most ${MAX_CHARACTERS} characters`);
  const labels = hostname.split('.');
  if (labels.length < 2) no('must contain a dot, such as www.example.com');
  if (labels.length > MAX_LABELS) no(`must have at most ${MAX_LABELS} parts separated by dots`);
  for (const label of labels) {
    if (label === '') no('must not begin with a dot or contain two dots in a row');
    if (label.length > MAX_LABEL_CHARACTERS) no(`must not have a part of more than ${MAX_LABEL_CHARACTERS} characters`);
    if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label))
      no('may only contain letters, digits and hyphens, and no part may begin or end with a hyphen');
    // RFC 5891 section 4.2.3.1 reserves hyphens in the third and fourth positions for encodings such as punycode.
    if (label.slice(2, 4) === '--' && !label.startsWith('xn--'))
      no('must not have a part with hyphens in its third and fourth positions, which are reserved');
  }
}

/** Refuses special-use domain names, such as `.local`, which nobody can own on the public internet (IANA registry). */
function refuseReserved(hostname: string): void {
  const last = hostname.slice(hostname.lastIndexOf('.') + 1);
  if (['localhost', 'local', 'test', 'invalid', 'example', 'onion', 'alt', 'internal', 'arpa'].includes(last))
    no(`must not end in .${last}, which cannot be used for public websites`);
}

/** Treat suffixes under which anyone can register a name, such as github.io, as public suffixes. */
function registrableOf(hostname: string): string {
  const { domain, publicSuffix, isIcann, isPrivate } = parse(hostname, {
    allowPrivateDomains: true,
    extractHostname: false,
  });
  if (!isIcann && !isPrivate) no('must end in a public suffix, such as .com');
  if (publicSuffix === hostname) no('must not be a public suffix, because others register domains there');
  return domain ?? no('is not a domain that can be registered');
}

function pairOf(hostname: string, registrable: string): string | null {
  if (hostname === `www.${registrable}`) return registrable;
  return hostname === registrable && hostname.length + 4 <= MAX_CHARACTERS ? `www.${hostname}` : null;
}

/** Decodes labels that begin with `xn--` to check that they are valid, because Node accepts them without decoding. */
const isPunycode = (hostname: string) =>
  hostname.split('.').every((label) => {
    if (!label.startsWith('xn--')) return true;
    const unicode = domainToUnicode(label);
    return unicode !== '' && unicode !== label && domainToASCII(unicode) === label;
  });

const isAddress = (text: string) => isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0;

const no = (message: string): never => refuseInvalid({ path: 'hostname', message });
