/** Names longer than this are truncated. */
const MAX_CHARACTERS = 60;

/**
 * Makes a client’s name safe to display and record. Removes control characters, invisible characters, and characters
 * that change the text direction, as well as words with an `@`, because an email address would remain in the log
 * forever. The result can be empty.
 */
export function cleanClientName(name: string): string {
  const words = name
    .slice(0, 1_000)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .split(/\s/)
    .filter((word) => word !== '' && !word.includes('@'));
  return Array.from(words.join(' ')).slice(0, MAX_CHARACTERS).join('').trim();
}
