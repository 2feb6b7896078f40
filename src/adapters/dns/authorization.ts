import type { RecordFinding } from '../../kernel/ports/outside/domain-checker.js';
import type { CaaProperty, DnsLookup } from './dns-lookup.js';
import { unanswered } from './ownership.js';
import { formatValueList } from './shown-values.js';

/** Directory hosts of certificate authorities, and their names in CAA records (from each authority’s documentation). */
const NAMES = new Map([
  ['acme-v02.api.letsencrypt.org', 'letsencrypt.org'],
  ['acme-staging-v02.api.letsencrypt.org', 'letsencrypt.org'],
  ['acme.zerossl.com', 'sectigo.com'],
  ['dv.acme-v02.api.pki.goog', 'pki.goog'],
  ['api.buypass.com', 'buypass.com'],
  ['acme.ssl.com', 'ssl.com'],
]);

/**
 * Returns the name that the authority uses in CAA records. Returns null for an unknown authority, which might not check
 * CAA records at all.
 */
export const findCaaName = (acmeUrl: string): string | null => NAMES.get(new URL(acmeUrl).hostname) ?? null;

/**
 * Known properties of CAA records. Any other property blocks certificates if it is marked as critical (RFC 8659 section
 * 4).
 */
const KNOWN = new Set(['issue', 'issuewild', 'issuemail', 'iodef', 'contactemail', 'contactphone']);

/** The ACME challenges that Caddy uses. dns-01 would require access to the DNS zone. */
const OUR_METHODS = ['http-01', 'tls-alpn-01'];

/**
 * Checks whether the authority may issue certificates for a name, according to the CAA records of the name or of its
 * closest ancestor that has any (RFC 8659 section 3).
 */
export async function authorization(
  lookup: DnsLookup,
  hostname: string,
  authority: string | null,
): Promise<{ readonly record: RecordFinding | null; readonly certifiable: boolean | null }> {
  for (let name = hostname; name !== ''; name = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '') {
    const properties = await lookup.caa(name);
    const record = { type: 'CAA', name, expected: `0 issue "${authority ?? 'your authority'}"` } as const;
    if (properties === null)
      return { record: { ...record, found: [], state: 'unknown', advice: unanswered(name) }, certifiable: null };
    if (properties.length === 0) continue;
    const found = formatValueList(
      properties.map(({ critical, tag, value }) => `${critical ? 128 : 0} ${tag} "${value}"`),
    );
    if (allows(properties, authority))
      return { record: { ...record, found, state: 'right', advice: '' }, certifiable: true };
    if (authority === null && !namesNobody(properties)) {
      const advice = `The CAA records of ${name} must allow the certificate authority that this service uses.`;
      return { record: { ...record, found, state: 'unknown', advice }, certifiable: null };
    }
    const advice = `Add a CAA record for ${name} with the value ${record.expected}. The existing records do not allow ${authority ?? 'any authority'} to issue a certificate.`;
    return { record: { ...record, found, state: 'wrong', advice }, certifiable: false };
  }
  return { record: null, certifiable: true };
}

export function allows(properties: readonly CaaProperty[], authority: string | null): boolean {
  if (properties.some(({ critical, tag }) => critical && !KNOWN.has(tag))) return false;
  const issuers = properties.filter(({ tag }) => tag === 'issue');
  return issuers.length === 0 || issuers.some(({ value }) => namesAuthority(value, authority));
}

/** Reports whether `issue ";"` forbids all authorities (RFC 8659 section 4.2). */
const namesNobody = (properties: readonly CaaProperty[]): boolean =>
  properties.filter(({ tag }) => tag === 'issue').every(({ value }) => value.split(';', 1)[0]?.trim() === '');

/** Reports whether a CAA property allows the authority (RFC 8659 section 4.2; RFC 8657 for `validationmethods`). */
function namesAuthority(value: string, authority: string | null): boolean {
  const [name = '', ...parameters] = value.split(';').map((part) => part.trim().toLowerCase());
  if (authority === null || name !== authority) return false;
  const methods = parameters
    .find((parameter) => parameter.startsWith('validationmethods='))
    ?.slice(18)
    .split(',');
  return methods === undefined || OUR_METHODS.some((method) => methods.includes(method));
}
