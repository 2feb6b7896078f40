import { z } from 'zod';

/** A segment of a path, as our own pages have them. Nothing in it is escaped: neither slashes nor dots. */
const PART = /^[\w~-][\w.~-]{0,199}$/;

/**
 * A query: everything that a URL may contain, except a fragment and the backslash, which some browsers read as a slash.
 */
const QUERY = /^[\w.~!$&'()*+,;=:@%/?-]*$/;

/**
 * Whether a path may be opened after a sign-in: a page of the service. Not a URL of another host, not a hosted site
 * under our own URL, not a path that acts when it is opened, such as a link that signs in.
 */
export function isOwnPage(text: string): boolean {
  const [path = '', ...query] = text.split('?');
  const [nothing, first = '', ...others] = path.split('/');
  if (nothing !== '' || !QUERY.test(query.join('?'))) return false;
  if (first === 'v1') return path === '/v1/auth/cli';
  return first !== 's' && (path === '/' || [first, ...others].every((part) => PART.test(part)));
}

/** What `isOwnPage` takes, for /openapi.json. */
const PARTS = `${PART.source.slice(1, -1)}`;
const OWN_PAGE = `^/(?:v1/auth/cli|(?!s(?:[/?]|$)|v1(?:[/?]|$))${PARTS}(?:/${PARTS})*)?(?:\\?${QUERY.source.slice(1, -1)})?$`;

/** A path that `isOwnPage` accepts, of at most 2,000 characters. */
export const ReturnTo = z
  .string()
  .max(2_000)
  .refine(isOwnPage, 'must be the path of a page on this service, such as /sites')
  .meta({ pattern: OWN_PAGE });
