import type { IncomingMessage } from 'node:http';
import type { ChosenHeaders } from '../rules/site-rules.js';
import { withChosenHeaders } from '../rules/with-chosen-headers.js';
import type { SiteForm } from './site-headers.js';

/** Number of seconds for which a browser may cache the permission. */
const REMEMBERED = '600';
const MAX_REQUESTED = 1_000;
/** A list of header names (RFC 9110 section 5.6.2). */
const NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Reports whether a request is a CORS preflight, which browsers send to find out whether another site may send a
 * request (Fetch, 4.8).
 */
export const isPreflight = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * Returns the headers of the response to a preflight for a public site. `ours` are the headers of every response to
 * a request for the site. By default, any site may send any request headers; the site’s own `access-control-*` headers
 * override this.
 */
export function preflightHeaders(
  ours: Readonly<Record<string, string>>,
  chosen: ChosenHeaders,
  form: SiteForm,
  requested: string | undefined,
): Record<string, string | number> {
  const head = withChosenHeaders(ours, chosen, form, 204);
  const own = Object.entries(head).filter(([name]) => name in ours || name.startsWith('access-control-'));
  const isAllowed = requested !== undefined && requested.length <= MAX_REQUESTED && NAMES.test(requested);
  return {
    'access-control-allow-methods': 'GET, HEAD',
    ...(isAllowed && { 'access-control-allow-headers': requested }),
    'access-control-max-age': REMEMBERED,
    ...Object.fromEntries(own),
    vary: 'access-control-request-headers',
    'cache-control': 'no-store',
  };
}
