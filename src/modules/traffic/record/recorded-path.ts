import { harmless } from './harmless.js';

/** Characters of a path that are kept. */
const MOST_KEPT = 512;

/** Of one that led nowhere: anyone can make up any number of them. */
export const MOST_KEPT_OF_MISSING = 128;

/** What is decoded of a path: a character may be written by nine, and no more of it is kept. */
const MOST_READ = MOST_KEPT * 9;

/**
 * The path of a request on its site, as it is kept: without its query, decoded once, or as it was sent where it cannot
 * be decoded; 512 characters at most, and 128 of one that led nowhere (404).
 */
export function recordedPath(url: string, prefixLength: number, status: number): string {
  const most = status === 404 ? MOST_KEPT_OF_MISSING : MOST_KEPT;
  const mark = url.indexOf('?', prefixLength);
  const sent = url.slice(prefixLength, Math.min(mark < 0 ? url.length : mark, prefixLength + MOST_READ));
  return harmless(sent.includes('%') ? decoded(sent) : sent || '/', most);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
