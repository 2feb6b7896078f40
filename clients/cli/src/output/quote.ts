/** Quotes a word for a shell if it contains special characters. Suggested commands are copied and run. */
export const quote = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
