import type { HostKind } from '../../../edge/http/server/hosts/hosts.js';
import { nfc } from '../../../kernel/nfc.js';
import type { SiteForm } from '../responses/site-headers.js';

/** The target of a request: a site, and a path on that site. */
export type Target = {
  readonly form: SiteForm;
  /** Slug of the site, or null if the URL contains only a deploy ID or is on a custom domain. */
  readonly slug: string | null;
  /** Custom domain of the site, or null for any other URL. */
  readonly hostname: string | null;
  /** ID of the deploy that the URL names, or null for the live deploy. */
  readonly deployId: string | null;
  /** Part of the URL path before the path on the site, including the slash, such as `/` or `/s/docs/`. */
  readonly prefix: string;
  /**
   * Decoded path on the site in NFC, without a leading slash. Null if it can't be decoded or is not stream-safe
   * (`nfc`).
   */
  readonly path: string | null;
  /** Query of the URL including its question mark, or an empty string. */
  readonly query: string;
  /** Whether the slash after the site's name is missing. Without it, relative links would break. */
  readonly slash: boolean;
};

/** Maximum length of a URL in UTF-16 code units: the maximum size of a request head. */
const MAX_URL_LENGTH = 16_384;

/** Matches the origin that a proxy may send before the path (RFC 9112 section 3.2.2). It repeats the Host header. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

export const stripOrigin = (sent: string): string => sent.replace(ORIGIN, '');

export type DomainHost = { readonly kind: 'domain'; readonly hostname: string };

/** Parses the URL of a request. Returns null if the request is not for a site. */
export function parseTarget(destination: HostKind | DomainHost, sent: string): Target | null {
  const url = stripOrigin(sent);
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

/** Parses `/s/{slug}/…`, or `/s/{slug}/@{deployId}/…` for a deploy. */
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
    return nfc(decodeURIComponent(path), MAX_URL_LENGTH);
  } catch {
    return null;
  }
}
