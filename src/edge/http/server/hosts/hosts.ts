import { isIP } from 'node:net';

export type HostKind =
  | { readonly kind: 'service' }
  | { readonly kind: 'site'; readonly slug: string }
  | { readonly kind: 'preview'; readonly deployId: string }
  | { readonly kind: 'unknown' };

export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Returns a function that classifies a Host header (docs/interface/conventions.md, "Host names"). Ports are ignored,
 * because behind a proxy or a mapped port, the header's port differs from this process's.
 */
export function hostClassifier(urls: { readonly baseUrl: string; readonly siteDomain: string }) {
  const base = new URL(urls.baseUrl).hostname;
  const suffix = `.${withoutPort(urls.siteDomain)}`;

  return (header: string | undefined): HostKind => {
    const host = nameInHost(header);
    if (host === base || (LOOPBACK.has(base) && LOOPBACK.has(host))) return { kind: 'service' };
    if (!host.endsWith(suffix)) return { kind: 'unknown' };

    const label = host.slice(0, -suffix.length);
    const preview = /^dep-([0-9a-hjkmnp-tv-z]{26})$/.exec(label)?.[1];
    if (preview) return { kind: 'preview', deployId: `dep_${preview}` };
    return /^[a-z0-9-]+$/.test(label) ? { kind: 'site', slug: label } : { kind: 'unknown' };
  };
}

/** Returns the name in a Host header in lower case, without port and trailing dot (RFC 3986 section 3.2.2). */
export const nameInHost = (header: string | undefined): string =>
  withoutPort((header ?? '').toLowerCase()).replace(/\.$/, '');

/** Reports whether a Host header contains an IP address, with or without a port. */
export const isIpAddress = (header: string | undefined) =>
  isIP(withoutPort(header ?? '').replace(/^\[(.*)\]$/, '$1')) !== 0;

const withoutPort = (host: string) => host.replace(/:\d*$/, '');
