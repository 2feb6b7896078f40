/** Matches the beginning of each write in the text of an SQL statement. `\0` stands for a placeholder of a template. */
export const WRITES =
  /\b(insert into [^\s(]+|delete from \S+|update (?!set\b)[^\s]+(?= (?:(?:as )?\w+ )?\s*set\b|\s+set\b)|copy \S+(?= (?:\([^)]*\) )?from stdin)|truncate (?:table )?\S+|(?:create|drop) (?:unique |\0)?(?:table|index|sequence)\b|create or replace function|alter (?:table|index|sequence|\0) |from append_batch(?=\()|(?:select|perform) pg_notify(?=\()|^commit$)/gi;

/** A string literal in the product's source code with an SQL statement that writes. */
export type WritingLiteral = {
  readonly id: string;
  /**
   * Source of a regular expression that finds the literal in the text of a sent statement, with a group for each
   * placeholder.
   */
  readonly pattern: string;
  /** Length of the literal without its placeholders, in characters. */
  readonly length: number;
};

/**
 * Builds the pattern that finds a literal in the text of a sent statement: the literal's words in order, with any
 * text for placeholders. The kind of whitespace does not matter, and the literal can be part of a longer text.
 */
export function patternOf(template: string): { readonly pattern: string; readonly length: number } {
  const parts = template.trim().replace(/\s+/g, ' ').split('\0');
  const pattern = parts.map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([\\s\\S]*?)');
  const isWhole = /^commit$/i.test(template.trim());
  return { pattern: isWhole ? `^${pattern}$` : pattern, length: parts.join('').length };
}

/**
 * Returns a function that finds the literals from which a sent statement was built. For each write in the statement, it
 * returns the longest literals that match the surrounding text. Literals with a placeholder at the position of the
 * write count only if no others match. `isKnown` is true if a literal was found for every write.
 */
export function finderOf<Literal extends WritingLiteral>(
  literals: readonly Literal[],
  writes: RegExp,
): (text: string) => { readonly isKnown: boolean; readonly choices: readonly (readonly Literal[])[] } {
  const all = literals.map((literal) => ({ literal, found: new RegExp(literal.pattern, 'd') }));
  return (text) => {
    const flat = text.trim().replace(/\s+/g, ' ');
    const fits = all.flatMap(({ literal, found }) => {
      const [whole, ...holes] = (found.exec(flat)?.indices ?? []) as [number, number][];
      return whole ? [{ literal, whole, holes }] : [];
    });
    const chosen = new Map<string, readonly Literal[]>();
    for (const { index } of flat.matchAll(writes)) {
      const isIn = ([from, to]: readonly [number, number]) => from <= index && index < to;
      const around = fits.filter(({ whole }) => isIn(whole));
      const saying = around.filter(({ holes }) => !holes.some(isIn));
      const [first, ...others] = (saying.length > 0 ? saying : around)
        .map(({ literal }) => literal)
        .toSorted((one, other) => other.length - one.length);
      const best = first ? [first, ...others.filter(({ length }) => length === first.length)] : [];
      chosen.set(best.map(({ id }) => id).join(), best);
    }
    const choices = [...chosen.values()];
    return { isKnown: choices.every(({ length }) => length > 0), choices: choices.filter(({ length }) => length > 0) };
  };
}
