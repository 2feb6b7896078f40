import { isPathPattern } from './findings.js';

/**
 * Converts a path of Vercel (path-to-regexp) or Firebase (globs) to the syntax of `_redirects`, whose only patterns are
 * `:name` and `*` at the end. Returns null if the path has other patterns. `splat` is the name by which destinations
 * refer to the text that `*` matches.
 */
export function convertSource(source: string): { readonly path: string; readonly splat: string | null } | null {
  const rest = /^(.*\/)(?::(\w+)[*+]|:(\w+)\(\.\*\)|\(\.\*\)|\*\*?)$/.exec(source);
  const path = rest ? `${rest[1]}*` : source;
  // Destinations refer to the group that matches the rest of the path by its name, or by the number 1 if it has none.
  return isPathPattern(path) ? { path, splat: rest ? (rest[2] ?? rest[3] ?? '1') : null } : null;
}

/** Replaces references to `splat` in a destination by `:splat`. Returns null if other patterns remain. */
export function convertDestination(destination: string, splat: string | null): string | null {
  const converted =
    splat === null
      ? destination
      : destination
          .replaceAll(new RegExp(`:${splat}(?:[*+]|\\(\\.\\*\\))?(?!\\w)`, 'g'), ':splat')
          .replaceAll(/\$1(?!\d)/g, ':splat');
  return /\$\d|\(|:\w+[*+?]/.test(converted) ? null : converted;
}
