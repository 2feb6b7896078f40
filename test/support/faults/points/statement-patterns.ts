/** What writes, at the beginning of a statement or of a part of it. A hole of a template is `\0`. */
export const WRITES =
  /\b(insert into [^\s(]+|delete from \S+|update (?!set\b)[^\s]+(?= (?:(?:as )?\w+ )?\s*set\b|\s+set\b)|copy \S+(?= (?:\([^)]*\) )?from stdin)|truncate (?:table )?\S+|(?:create|drop) (?:unique |\0)?(?:table|index|sequence)\b|create or replace function|alter (?:table|index|sequence|\0) |from append_batch(?=\()|(?:select|perform) pg_notify(?=\()|^commit$)/gi;

/** A literal of the code that writes. */
export type WritingLiteral = {
  readonly id: string;
  /** What it is found by in the text that is sent, as the source of a regular expression: a group for each of its holes. */
  readonly pattern: string;
  /** How much of the text is fixed. */
  readonly length: number;
};

/**
 * What finds the literal of the code in the text that is sent: its words in their order, with anything in its holes. Runs
 * of blanks count as one, and a text may be a part of a longer one.
 */
export function patternOf(template: string): { readonly pattern: string; readonly length: number } {
  const parts = template.trim().replace(/\s+/g, ' ').split('\0');
  const pattern = parts.map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([\\s\\S]*?)');
  const isWhole = /^commit$/i.test(template.trim());
  return { pattern: isWhole ? `^${pattern}$` : pattern, length: parts.join('').length };
}

/**
 * What finds the literals of a text: of each of its writes the longest that says it. One in whose hole the write stands
 * does not, unless there is no other; of several that are as long each may be meant. `isKnown`: each write was found.
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
