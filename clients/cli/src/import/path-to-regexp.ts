import { isPathPattern } from './findings.js';

/**
 * Converts a path of Vercel (path-to-regexp) or Firebase (globs) to the form of `_redirects`, whose only patterns are
 * `:name` and `*` at the end. Returns null if the path has other patterns. `splat` is what a destination calls the part
 * that `*` matches.
 */
export function convertSource(source: string): { readonly path: string; readonly splat: string | null } | null {
  const rest = /^(.*\/)(?::(\w+)[*+]|:(\w+)\(\.\*\)|\(\.\*\)|\*\*?)$/.exec(source);
  const path = rest ? `${rest[1]}*` : source;
  // The group that matches the rest of the path has a name, or else the number 1.
  return isPathPattern(path) ? { path, splat: rest ? (rest[2] ?? rest[3] ?? '1') : null } : null;
}

/** Replaces `splat` in a destination by `:splat`. Returns null if the destination then still has other patterns. */
export function convertDestination(destination: string, splat: string | null): string | null {
  const converted =
    splat === null
      ? destination
      : destination
          .replaceAll(new RegExp(`:${splat}(?:[*+]|\\(\\.\\*\\))?(?!\\w)`, 'g'), ':splat')
          .replaceAll(/\$1(?!\d)/g, ':splat');
  return /\$\d|\(|:\w+[*+?]/.test(converted) ? null : converted;
}
