import { isIP } from 'node:net';

/** Whose address a request was sent to. */
export type HostKind =
  | { readonly kind: 'service' }
  | { readonly kind: 'site'; readonly slug: string }
  | { readonly kind: 'preview'; readonly deployId: string }
  | { readonly kind: 'unknown' };

/** The names of this machine to itself. */
export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Tells by the Host header where a request belongs (docs/interface.md, "Host names"). Ports are not compared: behind a
 * proxy or a mapped port the one in the header is not the one listened on.
 */
export function hostsOf(addresses: { readonly baseUrl: string; readonly siteDomain: string }) {
  const base = new URL(addresses.baseUrl).hostname;
  const suffix = `.${withoutPort(addresses.siteDomain)}`;

  return (header: string | undefined): HostKind => {
    // A name may end in the dot of the root (RFC 3986 section 3.2.2): it is the same name.
    const host = withoutPort((header ?? '').toLowerCase()).replace(/\.$/, '');
    if (host === base || (LOOPBACK.has(base) && LOOPBACK.has(host))) return { kind: 'service' };
    if (!host.endsWith(suffix)) return { kind: 'unknown' };

    const label = host.slice(0, -suffix.length);
    const preview = /^dep-([0-9a-hjkmnp-tv-z]{26})$/.exec(label)?.[1];
    if (preview) return { kind: 'preview', deployId: `dep_${preview}` };
    return /^[a-z0-9-]+$/.test(label) ? { kind: 'site', slug: label } : { kind: 'unknown' };
  };
}

/** Whether a Host header has an address instead of a name. */
export const isNumeric = (header: string | undefined) =>
  isIP(withoutPort(header ?? '').replace(/^\[(.*)\]$/, '$1')) !== 0;

const withoutPort = (host: string) => host.replace(/:\d*$/, '');
