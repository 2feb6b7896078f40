import { harmless } from './harmless.js';

/** Maximum number of characters that are recorded. */
const MAX_PATH_CHARACTERS = 512;

/** Maximum for a missing page, because anyone can make up any number of such paths. */
export const MAX_MISSING_PATH_CHARACTERS = 128;

/** Part of a path that is decoded. A character takes up to nine characters of the encoded path. */
const MAX_READ_CHARACTERS = MAX_PATH_CHARACTERS * 9;

/**
 * Returns the path to record for a request: relative to its site, without the query, and decoded once, or as sent if it
 * cannot be decoded. At most 512 characters, or 128 for a missing page (404).
 */
export function recordedPath(url: string, prefixLength: number, status: number): string {
  const most = status === 404 ? MAX_MISSING_PATH_CHARACTERS : MAX_PATH_CHARACTERS;
  const mark = url.indexOf('?', prefixLength);
  const sent = url.slice(prefixLength, Math.min(mark < 0 ? url.length : mark, prefixLength + MAX_READ_CHARACTERS));
  return harmless(sent.includes('%') ? decoded(sent) : sent || '/', most);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
