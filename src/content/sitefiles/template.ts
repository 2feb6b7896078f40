import type { Captures } from './path-pattern.js';
import { PLACEHOLDERS_UP_TO } from './site-file-limits.js';

/** A text with placeholders in it: what is written, and names whose meaning comes with a request. */
export type PathTemplate = readonly (string | { readonly name: string })[];

const PLACEHOLDER = /:([A-Za-z]\w*)/g;

/** A name that the rule gives no meaning to is text like any other, as on both hosts. */
export function template(text: string, names: readonly string[]): PathTemplate {
  const parts: (string | { name: string })[] = [];
  let from = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    const [whole, name = ''] = found;
    if (!names.includes(name)) continue;
    if (found.index > from) parts.push(text.slice(from, found.index));
    parts.push({ name });
    from = found.index + whole.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Whether filling it could make more of a long request than is good. */
export const hasTooManyPlaceholders = (parts: PathTemplate) =>
  parts.filter((part) => typeof part !== 'string').length > PLACEHOLDERS_UP_TO;

/**
 * Puts the captures in the place of the names. `written` is called once for each name, however often that stands in the
 * text.
 */
export function filled(parts: PathTemplate, captures: Captures, written: (captured: string) => string): string {
  const known = new Map<string, string>();
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const before = known.get(part.name);
      if (before !== undefined) return before;
      const text = written(captures[part.name] ?? '');
      known.set(part.name, text);
      return text;
    })
    .join('');
}
