import type { HostKind } from '../../../edge/http/server/hosts/hosts.js';
import { nfc } from '../../../kernel/nfc.js';
import type { SiteForm } from '../answers/site-headers.js';

/** The site, and the path on it, that a request is for. */
export type Target = {
  readonly form: SiteForm;
  /** Null where the address names only a deploy, or is one of the site's own domains. */
  readonly slug: string | null;
  /** The domain of the site that is the address; null for any other. */
  readonly hostname: string | null;
  /** Null where the live deploy is meant. */
  readonly deployId: string | null;
  /** What stands before the path in addresses of this site, with its slash. */
  readonly prefix: string;
  /**
   * Decoded, in NFC, relative to the site, without a leading slash; null when it cannot be decoded, or is not
   * stream-safe (`nfc`).
   */
  readonly path: string | null;
  /** With its question mark, or empty. */
  readonly query: string;
  /** The address of the site lacks its last slash, without which relative links would lead astray. */
  readonly slash: boolean;
};

/** UTF-16 units, as long as the head of a request may be. */
const ADDRESS_UP_TO = 16_384;

/** What a proxy's request may have before its path (RFC 9112 section 3.2.2), as the Host header says it too. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

/** The path and query of a request as they were sent, from the first slash on. */
export const pathOf = (sent: string): string => sent.replace(ORIGIN, '');

/** A host that is a domain of a site. */
export type DomainHost = { readonly kind: 'domain'; readonly hostname: string };

/** What a request is for; null when it is not for a site. */
export function targetOf(destination: HostKind | DomainHost, sent: string): Target | null {
  const url = pathOf(sent);
  const mark = url.indexOf('?');
  const pathname = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark);
  const path = decoded(pathname.slice(1));
  const rest = { slug: null, hostname: null, deployId: null, prefix: '/', path, query, slash: false };

  switch (destination.kind) {
    case 'site':
      return { ...rest, form: 'host', slug: destination.slug };
    case 'domain':
      return { ...rest, form: 'host', hostname: destination.hostname };
    case 'preview':
      return { ...rest, form: 'preview', deployId: destination.deployId };
    case 'service':
      return pathForm(pathname, query);
    case 'unknown':
      return null;
  }
}

/** `/s/{slug}/…`, or `/s/{slug}/@{deployId}/…` for one deploy. */
function pathForm(pathname: string, query: string): Target | null {
  const match = /^\/s\/([^/]+)(?:\/@([^/]+))?(\/.*)?$/.exec(pathname);
  if (!match) return null;
  const [, slug = '', deployId = null, path = ''] = match;
  const prefix = `/s/${slug}/${deployId === null ? '' : `@${deployId}/`}`;
  return {
    form: 'path',
    slug,
    hostname: null,
    deployId,
    prefix,
    path: decoded(path.slice(1)),
    query,
    slash: path === '',
  };
}

function decoded(path: string): string | null {
  try {
    return nfc(decodeURIComponent(path), ADDRESS_UP_TO);
  } catch {
    return null;
  }
}
