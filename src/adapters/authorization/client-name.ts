/** Maximum length of a name. A longer name is cut off. */
const MAX_CHARACTERS = 60;

/**
 * Returns a client’s name in a form that is safe to display and record. Removes control characters, invisible
 * characters, and characters that change the text direction. Also removes words that contain an `@`, because an e-mail
 * address would remain in the log forever. The result is empty if nothing is left.
 */
export function cleanClientName(name: string): string {
  const words = name
    .slice(0, 1_000)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .split(/\s/)
    .filter((word) => word !== '' && !word.includes('@'));
  return Array.from(words.join(' ')).slice(0, MAX_CHARACTERS).join('').trim();
}
