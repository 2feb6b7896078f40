import { isIP } from 'node:net';
import { z } from 'zod';
import { setting } from './declaration.js';

export abstract class DomainSettings {
  /**
   * Addresses of DNS resolvers, in the format of `Resolver.setServers`, or null to use those of the operating system.
   */
  abstract readonly dnsServers: readonly string[] | null;
  /** IP addresses of the service, or null to use the addresses to which {site_domain} resolves. */
  abstract readonly addresses: readonly string[] | null;
  /**
   * Host and port at which a proxy terminates TLS for custom domains. If it is null, certificates are requested only
   * when visitors arrive.
   */
  abstract readonly tlsAt: { readonly host: string; readonly port: number } | null;
  /** Email address of the account at the certificate authority. Used only by the reverse proxy in front of Stele. */
  abstract readonly acmeEmail: string | null;
  /** ACME directory of the certificate authority (RFC 8555 section 7.1.1). */
  abstract readonly acmeUrl: string;
}

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';

const words = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

/** Rejects scoped addresses such as `fe80::1%eth0`, because a scope has a meaning only on one machine. */
const isAddress = (text: string) => isIP(text) !== 0 && !text.includes('%');

const isPort = (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;

function isDnsServer(text: string): boolean {
  if (isAddress(text)) return true;
  const [, v6, host = v6, port = '53'] = /^(?:\[([0-9a-f:.]+)\]|([\d.]+))(?::(\d+))?$/i.exec(text) ?? [];
  return host !== undefined && isAddress(host) && isPort(port);
}

const tlsAt = z
  .string()
  .toLowerCase()
  .refine((text) => {
    const [, v6, host, port] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]{1,253})):(\d+)$/.exec(text) ?? [];
    return port !== undefined && isPort(port) && (v6 === undefined ? host !== undefined : isIP(v6) === 6);
  })
  .transform((text) => {
    const at = text.lastIndexOf(':');
    return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) };
  });

export const domainEnvironment = {
  STELE_ADDRESSES: setting(words.refine((list) => list.length > 0 && list.every(isAddress)).optional(), {
    description:
      'The service’s public IP addresses. A custom domain counts as pointing to the service if its A or AAAA records contain one of these addresses.',
    form: 'a list of IP addresses such as 203.0.113.7 or 2001:db8::7, separated by commas or spaces',
    unset: 'the addresses that `STELE_SITE_DOMAIN` resolves to',
  }),
  STELE_DNS_SERVERS: setting(words.refine((list) => list.length > 0 && list.every(isDnsServer)).optional(), {
    description: 'DNS resolvers for looking up the records of custom domains.',
    form: 'a list of IP addresses such as 9.9.9.9, 10.0.0.2:5353 or [fd00::2]:53, separated by commas or spaces',
    unset: 'the system’s resolvers',
  }),
  STELE_TLS_AT: setting(tlsAt.optional(), {
    description:
      'Host and port at which the reverse proxy accepts TLS connections, if it obtains certificates on demand. When a domain becomes active, Stele opens a connection to it, so that the certificate exists before the first visitor arrives.',
    form: 'a host and a port, such as caddy:443 or [::1]:8443',
    unset: 'each certificate is requested when the first visitor arrives',
  }),
  STELE_ACME_EMAIL: setting(
    z
      .string()
      .regex(/^[^\s<>@"{}]{1,64}@[^\s<>@"{}]{1,255}$/)
      .optional(),
    {
      description:
        'Email address of your account with the certificate authority. Only the Caddyfile uses this setting; Stele only validates its format.',
      form: 'an email address such as certificates@example.org',
      unset: 'no account',
    },
  ),
  STELE_ACME_URL: setting(
    z
      .url({ protocol: /^https$/ })
      .regex(/^[^\s"{}]*$/)
      .default(LETS_ENCRYPT),
    {
      description:
        'ACME directory URL of the certificate authority. The Caddyfile uses it to obtain certificates. Stele uses it to warn about CAA records that do not allow this authority.',
      form: 'the https URL of an ACME directory',
    },
  ),
};

const Domains = z.object(domainEnvironment);

export const readDomainSettings = (env: z.output<typeof Domains>): DomainSettings => ({
  dnsServers: env.STELE_DNS_SERVERS ?? null,
  addresses: env.STELE_ADDRESSES ?? null,
  tlsAt: env.STELE_TLS_AT ?? null,
  acmeEmail: env.STELE_ACME_EMAIL ?? null,
  acmeUrl: env.STELE_ACME_URL,
});
