import { harmless } from './harmless.js';

const MAX_PATH_CHARACTERS = 512;

/**
 * Maximum length of the recorded path of a missing page. It is short, because clients can request any number of
 * invented paths.
 */
export const MAX_MISSING_PATH_CHARACTERS = 128;

/** Maximum number of characters to decode. Each decoded character takes up to nine encoded ones. */
const MAX_READ_CHARACTERS = MAX_PATH_CHARACTERS * 9;

/**
 * Returns the path of a request for its log entry, relative to the site and without the query. The path is decoded
 * once; if that is impossible, it is returned as sent. At most 512 characters, or 128 for a missing page (404).
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
