/** Characters. Longer names are cut. */
const LONGEST = 60;

/**
 * The name of a program as it may be shown and recorded: without control characters, without what changes the direction of
 * text or is not seen, and without words that hold an `@`, as a person’s address would stay in the log for ever. Empty
 * where nothing is left.
 */
export function cleanClientName(name: string): string {
  const words = name
    .slice(0, 1_000)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .split(/\s/)
    .filter((word) => word !== '' && !word.includes('@'));
  return Array.from(words.join(' ')).slice(0, LONGEST).join('').trim();
}
