/** In characters. Longer names are cut. */
const MAX_CHARACTERS = 60;

/**
 * Returns a client’s name in a form that is safe to show and record. Control characters, invisible characters and
 * characters that change the text direction are removed, and so are words that contain an `@`, because an e-mail
 * address would stay in the log forever. The result is empty if nothing is left.
 */
export function cleanClientName(name: string): string {
  const words = name
    .slice(0, 1_000)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .split(/\s/)
    .filter((word) => word !== '' && !word.includes('@'));
  return Array.from(words.join(' ')).slice(0, MAX_CHARACTERS).join('').trim();
}
