import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { lookAlikeWarning } from './look-alike.js';

/** A hostname that a site may be attached to. All names are in punycode, lower case, without the dot of the root. */
export type Hostname = {
  readonly hostname: string;
  /** As people read it. */
  readonly unicode: string;
  /** The name that its owner has registered: the part just below a public suffix. */
  readonly registrable: string;
  /** `www.` plus the registrable name, or the registrable name of a `www.` name; null for any other name. */
  readonly pair: string | null;
  /** Warns that the name could be mistaken for another one; null if that is unlikely. */
  readonly warning: string | null;
};

/** The lengths that authorities take (Boulder, `policy/pa.go`): below those of DNS, for the names they add before it. */
const LONGEST = 230;
const LONGEST_LABEL = 63;
const MOST_LABELS = 10;

/** What a name cannot have, and the platform would cut off, decode or take for the end of the name (WHATWG URL, section 3.5). */
const NO_NAME = /[\p{Control}\s"#%&'()+,/:;<=>?@[\\\]^`{|}~!$]/u;

/** What a hostname is written with, for /openapi.json. Letters do not tell which of these names can be registered. */
export const HOSTNAME = (() => {
  const letter = '[^\\u0000-\\u0020\\u007f-\\u009f\\s"#%&\'()*+,./:;<=>?@\\[\\\\\\]^_`{|}~!$]';
  return `^\\s*${letter}+(?:\\.${letter}+)+\\.?\\s*$`;
})();

/**
 * The hostname that a person means. Refuses with `invalid_request`, in a sentence that says why, what is no public name,
 * cannot be registered, or is one of `ours` or below one: the hosts of the service and of its sites.
 */
export function hostnameOf(text: string, ours: readonly string[]): Hostname {
  const written = text.trim();
  if (written === '') no('must not be empty');
  if (written.length > 253) no(`must have at most ${LONGEST} characters`);
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

/** Hosts without ports, as `hostnameOf` takes them for ours; addresses are left out. */
export const ownNames = (urls: { readonly baseUrl: string; readonly siteDomain: string }): string[] =>
  [new URL(urls.baseUrl).hostname, urls.siteDomain.replace(/:\d+$/, '')]
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => !isAddress(name));

function refuseLabels(hostname: string): void {
  if (hostname.length > LONGEST) no(`must have at most ${LONGEST} characters`);
  const labels = hostname.split('.');
  if (labels.length < 2) no('must contain a dot, such as www.example.com');
  if (labels.length > MOST_LABELS) no(`must have at most ${MOST_LABELS} parts separated by dots`);
  for (const label of labels) {
    if (label === '') no('must not begin with a dot or contain two dots in a row');
    if (label.length > LONGEST_LABEL) no(`must not have a part of more than ${LONGEST_LABEL} characters`);
    if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label))
      no('may only contain letters, digits and hyphens, and no part may begin or end with a hyphen');
    // RFC 5891 section 4.2.3.1 reserves these for encodings such as punycode.
    if (label.slice(2, 4) === '--' && !label.startsWith('xn--'))
      no('must not have a part with hyphens in its third and fourth positions, which are reserved');
  }
}

/** Names without an owner on the public internet (IANA, Special-Use Domain Names), also `.local` of home networks. */
function refuseReserved(hostname: string): void {
  const last = hostname.slice(hostname.lastIndexOf('.') + 1);
  if (['localhost', 'local', 'test', 'invalid', 'example', 'onion', 'alt', 'internal', 'arpa'].includes(last))
    no(`must not end in .${last}, which cannot be used for public websites`);
}

/** Suffixes below which others register count too, such as github.io. */
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
  return hostname === registrable && hostname.length + 4 <= LONGEST ? `www.${hostname}` : null;
}

/** The platform takes over what begins as punycode without looking. */
const isPunycode = (hostname: string) =>
  hostname.split('.').every((label) => {
    if (!label.startsWith('xn--')) return true;
    const unicode = domainToUnicode(label);
    return unicode !== '' && unicode !== label && domainToASCII(unicode) === label;
  });

const isAddress = (text: string) => isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0;

const no = (message: string): never => refuseInvalid({ path: 'hostname', message });
