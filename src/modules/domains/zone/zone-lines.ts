import type { ZoneFacts } from '../../../kernel/ports/outside/domain-checker.js';
import type { DomainResponse } from '../domain-response.js';

/**
 * Time to live of the DNS records, in seconds. It is short because records often change while a domain is being set up.
 */
const TTL = 300;

/**
 * Formats DNS records as lines of a master file (RFC 1035 section 5). All names are absolute, so that the lines can be
 * pasted into any zone. Nothing needs escaping: hostnames consist of letters, digits, hyphens and dots, and tokens are
 * hexadecimal.
 */
export function zoneLines(
  { hostname, slug, verification, target }: Pick<DomainResponse, 'hostname' | 'slug' | 'verification' | 'target'>,
  { isApex, addresses, authority }: ZoneFacts,
): string {
  const record = (name: string, type: string, value: string) => `${name}.\t${TTL}\tIN\t${type}\t${value}`;
  const leading = isApex
    ? addresses.map((address) => record(hostname, address.includes(':') ? 'AAAA' : 'A', address))
    : [record(hostname, 'CNAME', `${target.value}.`)];
  const lines = [
    `; Serves the site ${slug} at ${hostname}.`,
    record(verification.name, verification.type, `"${verification.value}"`),
    ...leading,
    ...(isApex
      ? [
          `; If your DNS provider supports ALIAS or ANAME records, point one at ${target.value} instead of using addresses.`,
        ]
      : []),
    ...(authority === null
      ? []
      : ['; Only needed if the zone has other CAA records:', `; ${record(hostname, 'CAA', `0 issue "${authority}"`)}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
