import { encodedPath } from '../../../content/sitefiles/destination.js';
import {
  changesPresentation,
  hasDirectives,
  isAboutContent,
  isSingleValued,
} from '../../../content/sitefiles/header-names.js';
import type { HeaderRule } from '../../../content/sitefiles/headers-file.js';
import { type Captures, isExact, type PathPattern } from '../../../content/sitefiles/path-pattern.js';
import { RedirectIndex } from '../../../content/sitefiles/redirect-index.js';
import { isWithin, RequestPath } from '../../../content/sitefiles/request-path.js';
import { MAX_CHOSEN_HEADERS_LENGTH } from '../../../content/sitefiles/site-file-limits.js';
import { filled } from '../../../content/sitefiles/template.js';

export type SiteRules = { readonly redirects: RedirectIndex; readonly headers: readonly HeaderRule[] };

export const NO_RULES: SiteRules = { redirects: new RedirectIndex([]), headers: [] };

/** Headers that a site sets or unsets for a response. Names are in lower case. */
export type ChosenHeaders = {
  readonly set: ReadonlyMap<string, string>;
  readonly unset: ReadonlySet<string>;
  /** Whether the value of a header contains a part of the requested path, which any visitor can choose. */
  readonly isOfPath: boolean;
};

export const NOTHING_CHOSEN: ChosenHeaders = { set: new Map(), unset: new Set(), isOfPath: false };

/**
 * The file that is shown. `isElsewhere` is true if the requested path is not an address of this file, as with a
 * rewrite. `isError` is true if the file is shown because the requested one does not exist.
 */
export type ShownFile = { readonly path: string; readonly isElsewhere: boolean; readonly isError: boolean };

/**
 * A header value from a rule. `isAsked` is true if the rule matches the requested path itself rather than another path
 * of the file.
 */
type Value = { readonly path: PathPattern; readonly isAsked: boolean; readonly said: readonly string[] };

/**
 * Returns a site’s headers for the requested path (in NFC). All matching rules apply in file order, up to a total of
 * `MAX_CHOSEN_HEADERS_LENGTH` characters. Values of the same header are joined with a comma. For a single-valued header,
 * the more specific rule wins, or else the later rule.
 *
 * Headers about caching, language and encoding also come from the rules for other addresses of the file that is shown:
 * a rule for `/index.html` applies to `/`, unless a rule that is equally or more specific matches `/` itself. Headers
 * about type and disposition come only from rules for the requested path, because a site can offer a page as a download
 * at one of its addresses.
 *
 * If the requested path is not an address of the file, all content headers come only from the rules for the file, so that
 * a rule for assets can't make a page immutable. A rule for exactly the requested path still applies to a rewrite. To an
 * error page, only a rule for exactly its own path applies.
 */
export function chooseHeaders({ headers }: SiteRules, path: string, shown: ShownFile | null = null): ChosenHeaders {
  if (headers.length === 0) return NOTHING_CHOSEN;
  const asked = new RequestPath(path);
  const own = shown === null ? [] : addressesOf(shown.path).map((each) => new RequestPath(each));
  const set = new Map<string, Value>();
  const unset = new Set<string>();
  let isOfPath = false;
  let room = MAX_CHOSEN_HEADERS_LENGTH;
  const isElsewhere = shown?.isElsewhere ?? false;
  for (const rule of headers) {
    const captures = asked.match(rule.path);
    const aboutContent = shown === null ? captures : contentCaptures(rule.path, captures, own, shown);
    if (!captures && !aboutContent) continue;
    const isShared = (name: string) => isAboutContent(name) && (isElsewhere || !changesPresentation(name));
    const capturesFor = (name: string) => (isShared(name) ? aboutContent : captures);
    const isAsked = captures !== null && (!isElsewhere || isExact(rule.path));
    for (const name of rule.unset) {
      if (!capturesFor(name)) continue;
      set.delete(name);
      unset.add(name);
    }
    for (const { name, value } of rule.set) {
      const matched = capturesFor(name);
      if (!matched) continue;
      const said = filled(value, matched, encodedPath);
      room -= name.length + said.length;
      if (room < 0) return chosen(set, unset, isOfPath);
      isOfPath ||= value.some((part) => typeof part !== 'string');
      set.set(name, combined(name, set.get(name), { path: rule.path, isAsked, said: [said] }));
    }
  }
  return chosen(set, unset, isOfPath);
}

function combined(name: string, before: Value | undefined, next: Value): Value {
  if (!before) return next;
  const isSameRule = before.path === next.path;
  if (!isSingleValued(name) || (isSameRule && hasDirectives(name)))
    return { ...next, said: [...before.said, ...next.said] };
  const isLessSpecific = isWithin(before.path, next.path) && !isWithin(next.path, before.path);
  const isMoreSpecific = isWithin(next.path, before.path) && !isWithin(before.path, next.path);
  return isLessSpecific || (before.isAsked && !next.isAsked && !isMoreSpecific) ? before : next;
}

function contentCaptures(
  pattern: PathPattern,
  asked: Captures | null,
  own: readonly RequestPath[],
  { isElsewhere, isError }: ShownFile,
) {
  if (asked && (!isElsewhere || (!isError && isExact(pattern)))) return asked;
  if (isError && !isExact(pattern)) return null;
  for (const address of own) {
    const captures = address.match(pattern);
    if (captures) return captures;
  }
  return null;
}

/**
 * Returns the paths at which a file is shown: its own, and for a page also the path without `.html` or `index.html`.
 */
export function addressesOf(path: string): readonly string[] {
  if (path === 'index.html') return [path, ''];
  if (path.endsWith('/index.html')) return [path, path.slice(0, -'index.html'.length)];
  return path.endsWith('.html') ? [path, path.slice(0, -'.html'.length)] : [path];
}

const chosen = (set: ReadonlyMap<string, Value>, unset: ReadonlySet<string>, isOfPath: boolean): ChosenHeaders => ({
  set: new Map([...set].map(([name, { said }]) => [name, said.join(', ')])),
  unset,
  isOfPath,
});
