/** What writes, at the beginning of a statement or of a part of it. A hole of a template is `\0`. */
export const WRITES =
  /\b(insert into [^\s(]+|delete from \S+|update (?!set\b)[^\s]+(?= (?:(?:as )?\w+ )?\s*set\b|\s+set\b)|copy \S+(?= (?:\([^)]*\) )?from stdin)|truncate (?:table )?\S+|(?:create|drop) (?:unique |\0)?(?:table|index|sequence)\b|create or replace function|alter (?:table|index|sequence|\0) |from append_batch(?=\()|(?:select|perform) pg_notify(?=\()|^commit$)/gi;

/**
 * What finds the literal of the code in the text that is sent: its words in their order, with anything in its holes. Runs
 * of blanks count as one, and a text may be a part of a longer one.
 */
export function patternOf(template: string): { readonly pattern: string; readonly length: number } {
  const parts = template.trim().replace(/\s+/g, ' ').split('\0');
  const pattern = parts.map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*?');
  const isWhole = /^commit$/i.test(template.trim());
  return { pattern: isWhole ? `^${pattern}$` : pattern, length: parts.join('').length };
}
