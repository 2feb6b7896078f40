import type { Captures } from './path-pattern.js';
import { MAX_PLACEHOLDERS } from './site-file-limits.js';

/** A string that consists of literal parts and of names, which are replaced for each request. */
export type PathTemplate = readonly (string | { readonly name: string })[];

const PLACEHOLDER = /:([A-Za-z]\w*)/g;

/** Parses a template. Names that the rule does not define are literal text, as on Netlify and Cloudflare. */
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

/** Reports whether a template has so many placeholders that the result could be far longer than the request. */
export const hasTooManyPlaceholders = (parts: PathTemplate) =>
  parts.filter((part) => typeof part !== 'string').length > MAX_PLACEHOLDERS;

/** Replaces names with captured text. `written` converts the text only once per name, even if the name is repeated. */
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
