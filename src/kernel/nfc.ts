/** Limit on consecutive combining marks in stream-safe text (UAX #15, section 13). */
const MARKS_IN_A_ROW = 30;

/** No character below U+0300 is a combining mark. */
const MAY_HAVE_MARKS = /[^\0-\u02ff]/;
const ROW_OF_MARKS = /\p{M}+/gu;

/**
 * Returns a string in NFC, or null if it is longer than `longest` UTF-16 units or not stream-safe. Normalizing
 * consecutive combining marks takes quadratic time: 3 s for 32,000.
 */
export const nfc = (text: string, longest: number): string | null =>
  text.length <= longest && isStreamSafe(text) ? text.normalize('NFC') : null;

/** Returns a string in NFD, or null in the same cases as `nfc`. */
export const nfd = (text: string, longest: number): string | null =>
  text.length <= longest && isStreamSafe(text) ? text.normalize('NFD') : null;

export function isStreamSafe(text: string): boolean {
  if (!MAY_HAVE_MARKS.test(text)) return true;
  for (const [row] of text.matchAll(ROW_OF_MARKS))
    if (row.length > MARKS_IN_A_ROW && [...row].length > MARKS_IN_A_ROW) return false;
  return true;
}
