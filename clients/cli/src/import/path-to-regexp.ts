import { isPathPattern } from './findings.js';

/**
 * Converts a path of Vercel (path-to-regexp) or Firebase (globs) to the form of `_redirects`, where only `*` at the end
 * and `:name` match more than themselves. Returns null if the path cannot be expressed so.
 */
export function convertSource(source: string): { readonly path: string; readonly splat: string | null } | null {
  const rest = /^(.*\/)(?::(\w+)[*+]|:(\w+)\(\.\*\)|\(\.\*\)|\*\*?)$/.exec(source);
  const path = rest ? `${rest[1]}*` : source;
  // A name for the rest of the path, or the number that a group without a name has.
  return isPathPattern(path) ? { path, splat: rest ? (rest[2] ?? rest[3] ?? '1') : null } : null;
}

/** Replaces the name of the rest of the path by `:splat`. Returns null if something remains that has no counterpart. */
export function convertDestination(destination: string, splat: string | null): string | null {
  const converted =
    splat === null
      ? destination
      : destination
          .replaceAll(new RegExp(`:${splat}(?:[*+]|\\(\\.\\*\\))?(?!\\w)`, 'g'), ':splat')
          .replaceAll(/\$1(?!\d)/g, ':splat');
  return /\$\d|\(|:\w+[*+?]/.test(converted) ? null : converted;
}
