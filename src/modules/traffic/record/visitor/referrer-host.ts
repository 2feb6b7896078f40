import { harmless } from '../harmless.js';

const MAX_CHARACTERS = 253;

/** Returns the hostname of a referrer, in lower case, or null if the referrer has no valid hostname. */
export function referrerHost(referer: string): string | null {
  const begin = /^https?:\/\//i.exec(referer)?.[0].length;
  if (begin === undefined) return null;
  const end = referer.slice(begin).search(/[/?#\\]/);
  const authority = end < 0 ? referer.slice(begin) : referer.slice(begin, begin + end);
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return host.length <= MAX_CHARACTERS && /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/.test(host)
    ? harmless(host, MAX_CHARACTERS)
    : null;
}
