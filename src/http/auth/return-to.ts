import { z } from 'zod';

/** A part of a path as our own pages have them. Nothing is escaped in it: not a slash, nor dots. */
const PART = /^[\w~-][\w.~-]{0,199}$/;

/** What follows the path: of what may stand in an address, all but a fragment and what some browsers take for a slash. */
const QUERY = /^[\w.~!$&'()*+,;=:@%/?-]*$/;

/**
 * Where somebody goes on who has signed in: a page of ours. Never another host, nor what somebody else publishes at our
 * own address, nor what does something when it is opened, such as a link that signs in.
 */
export function isOwnPage(text: string): boolean {
  const [path = '', ...query] = text.split('?');
  const [nothing, first = '', ...others] = path.split('/');
  if (nothing !== '' || !QUERY.test(query.join('?'))) return false;
  if (first === 'v1') return path === '/v1/auth/cli';
  return first !== 's' && (path === '/' || [first, ...others].every((part) => PART.test(part)));
}

export const ReturnTo = z.string().max(2_000).refine(isOwnPage, 'is a path of a page of this service, such as /sites');
