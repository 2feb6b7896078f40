import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { refuse } from '../../../kernel/refusal.js';
import { lookAlikeWarning } from './look-alike.js';

/** A hostname that a site may be attached to. All names are in punycode, lower case, without the dot of the root. */
export type Hostname = {
  readonly hostname: string;
  /** As people read it. */
  readonly unicode: string;
  /** The name that its owner has registered: the part just below a public suffix. */
  readonly registrable: string;
  /** The `www` of a registrable name, or the registrable name of its `www`; null for any other. */
  readonly pair: string | null;
  /** What to look at twice: the name may be taken for another one. Null where nothing is. */
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
  if (written === '') no('is empty');
  if (written.length > 253) no(`has more than ${LONGEST} characters`);
  if (isAddress(written)) no('is an address: a domain is a name, such as www.example.com');
  if (NO_NAME.test(written))
    no('is more than a name: give it alone, such as www.example.com, without https:// or a port');
  if (written.includes('*')) no('is a wildcard: add each name by itself');
  if (written.includes('_')) no('has an underscore, which the name of a site cannot have');

  const hostname = domainToASCII(written).replace(/\.$/, '');
  const unicode = domainToUnicode(hostname);
  if (isIP(hostname) !== 0) no('is an address: a domain is a name, such as www.example.com');
  if (hostname === '' || !isPunycode(hostname)) no('is not a name that the standards for international domains allow');
  refuseLabels(hostname);
  refuseReserved(hostname);
  if (ours.some((name) => hostname === name || hostname.endsWith(`.${name}`)))
    no('belongs to this service, and is served without being added');

  const registrable = registrableOf(hostname);
  return { hostname, unicode, registrable, pair: pairOf(hostname, registrable), warning: lookAlikeWarning(unicode) };
}

/** Hosts without ports, as `hostnameOf` takes them for ours; addresses are left out. */
export const ownNames = (urls: { readonly baseUrl: string; readonly siteDomain: string }): string[] =>
  [new URL(urls.baseUrl).hostname, urls.siteDomain.replace(/:\d+$/, '')]
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => !isAddress(name));

function refuseLabels(hostname: string): void {
  if (hostname.length > LONGEST) no(`has more than ${LONGEST} characters`);
  const labels = hostname.split('.');
  if (labels.length < 2) no('is a single word: a domain has a dot, such as www.example.com');
  if (labels.length > MOST_LABELS) no(`has more than ${MOST_LABELS} parts`);
  for (const label of labels) {
    if (label === '') no('has two dots with nothing between, or begins with one');
    if (label.length > LONGEST_LABEL) no(`has a part of more than ${LONGEST_LABEL} characters`);
    if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label))
      no('has a part that is not letters, digits and hyphens between');
    // RFC 5891 section 4.2.3.1: kept for codings such as punycode.
    if (label.slice(2, 4) === '--' && !label.startsWith('xn--'))
      no('has a part with two hyphens at a place that is reserved');
  }
}

/** Names without an owner on the public internet (IANA, Special-Use Domain Names), also `.local` of home networks. */
function refuseReserved(hostname: string): void {
  const last = hostname.slice(hostname.lastIndexOf('.') + 1);
  if (['localhost', 'local', 'test', 'invalid', 'example', 'onion', 'alt', 'internal', 'arpa'].includes(last))
    no(`ends in .${last}, which is not on the public internet`);
}

/** Suffixes below which others register count too, such as github.io. */
function registrableOf(hostname: string): string {
  const { domain, publicSuffix, isIcann, isPrivate } = parse(hostname, {
    allowPrivateDomains: true,
    extractHostname: false,
  });
  if (!isIcann && !isPrivate) no('ends in nothing under which names are registered');
  if (publicSuffix === hostname) no('is a suffix under which others register names');
  return domain ?? no('is not a name that can be registered');
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

const no = (why: string): never =>
  refuse('invalid_request', `The hostname ${why}.`, [{ path: 'hostname', message: why }]);
