import { z } from 'zod';

/** A path segment of our own pages, without percent-encoding, which could hide slashes or dots. */
const PART = /^[\w~-][\w.~-]{0,199}$/;

/** Matches a query without a fragment and without backslashes, which some browsers treat as slashes. */
const QUERY = /^[\w.~!$&'()*+,;=:@%/?-]*$/;

/**
 * Reports whether a path may be opened after a sign-in. This excludes URLs of other hosts, hosted sites under our own
 * URL, and paths that act when they are opened, such as links that sign in.
 */
export function isOwnPage(text: string): boolean {
  const [path = '', ...query] = text.split('?');
  const [nothing, first = '', ...others] = path.split('/');
  if (nothing !== '' || !QUERY.test(query.join('?'))) return false;
  if (first === 'v1') return path === '/v1/auth/cli';
  return first !== 's' && (path === '/' || [first, ...others].every((part) => PART.test(part)));
}

const PARTS = `${PART.source.slice(1, -1)}`;
const OWN_PAGE = `^/(?:v1/auth/cli|(?!s(?:[/?]|$)|v1(?:[/?]|$))${PARTS}(?:/${PARTS})*)?(?:\\?${QUERY.source.slice(1, -1)})?$`;

export const ReturnTo = z
  .string()
  .max(2_000)
  .refine(isOwnPage, 'must be the path of a page on this service, such as /sites')
  .meta({ pattern: OWN_PAGE });
