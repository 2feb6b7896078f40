import { encodedPath } from '../../../content/sitefiles/destination.js';
import type { HeaderRule } from '../../../content/sitefiles/headers-file.js';
import { RedirectIndex } from '../../../content/sitefiles/redirect-index.js';
import { RequestPath } from '../../../content/sitefiles/request-path.js';
import { CHOSEN_UP_TO } from '../../../content/sitefiles/site-file-limits.js';
import { filled } from '../../../content/sitefiles/template.js';

/** Parsed `_redirects` and `_headers`. */
export type SiteRules = { readonly redirects: RedirectIndex; readonly headers: readonly HeaderRule[] };

export const NO_RULES: SiteRules = { redirects: new RedirectIndex([]), headers: [] };

/** Headers that a site sets or unsets for a response. Names are in lower case. */
export type ChosenHeaders = {
  readonly set: ReadonlyMap<string, string>;
  readonly unset: ReadonlySet<string>;
  /** Whether a value contains a part of the requested path, which any visitor can choose. */
  readonly isOfPath: boolean;
};

export const NOTHING_CHOSEN: ChosenHeaders = { set: new Map(), unset: new Set(), isOfPath: false };

/**
 * Returns the headers that a site chooses for the requested path (in NFC), even if another file is shown there. All
 * matching rules apply in file order, up to a total of `CHOSEN_UP_TO` characters.
 */
export function chooseHeaders({ headers }: SiteRules, path: string): ChosenHeaders {
  if (headers.length === 0) return NOTHING_CHOSEN;
  const asked = new RequestPath(path);
  const set = new Map<string, string[]>();
  const unset = new Set<string>();
  let isOfPath = false;
  let room = CHOSEN_UP_TO;
  for (const rule of headers) {
    const captures = asked.match(rule.path);
    if (!captures) continue;
    for (const name of rule.unset) {
      set.delete(name);
      unset.add(name);
    }
    for (const { name, value } of rule.set) {
      const said = filled(value, captures, encodedPath);
      room -= name.length + said.length;
      if (room < 0) return chosen(set, unset, isOfPath);
      isOfPath ||= value.some((part) => typeof part !== 'string');
      const before = set.get(name);
      if (before) before.push(said);
      else set.set(name, [said]);
    }
  }
  return chosen(set, unset, isOfPath);
}

const chosen = (
  set: ReadonlyMap<string, readonly string[]>,
  unset: ReadonlySet<string>,
  isOfPath: boolean,
): ChosenHeaders => ({
  set: new Map([...set].map(([name, values]) => [name, values.join(', ')])),
  unset,
  isOfPath,
});
