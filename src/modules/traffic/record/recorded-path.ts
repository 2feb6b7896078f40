import { harmless } from './harmless.js';

/** Maximum number of characters that are recorded. */
const MOST_KEPT = 512;

/** Maximum for a missing page, because anyone can make up any number of such paths. */
export const MOST_KEPT_OF_MISSING = 128;

/** Part of a path that is decoded. A character takes up to nine characters of the encoded path. */
const MOST_READ = MOST_KEPT * 9;

/**
 * Returns the path to record for a request: relative to its site, without the query, and decoded once, or as sent if it
 * cannot be decoded. At most 512 characters, or 128 for a missing page (404).
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
