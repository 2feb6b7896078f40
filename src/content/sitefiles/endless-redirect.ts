import { nfc } from '../../kernel/nfc.js';
import { encodedPath, fillLocation } from './destination.js';
import { mergeSlashes, type PageLookup } from './look-up-page.js';
import type { RedirectIndex, RedirectMatch } from './redirect-index.js';
import type { Redirect } from './redirects-file.js';
import { RequestPath } from './request-path.js';
import { MAX_LINE_LENGTH } from './site-file-limits.js';

/**
 * A requested page: its decoded path without a leading slash, and a query that is empty or begins with a question mark.
 */
type Visit = { readonly path: string; readonly query: string };

export type Redirecting = {
  readonly redirects: RedirectIndex;
  readonly lookUp: (path: string) => PageLookup;
};

/** Limits how many redirects are followed, because each one can require a search of all rules. */
export class StepBudget {
  constructor(private left: number) {}

  take(): boolean {
    return this.left-- > 0;
  }
}

/**
 * Reports whether a redirect is part of an endless chain. Such a chain returns to its first URL, or applies this rule
 * again to a path that is no shorter (`/* /en/:splat`). Returns false for a redirect that only leads into a loop,
 * because the rules inside the loop are skipped instead. Also returns false if the budget is exhausted.
 */
export function isEndless(site: Redirecting, visit: Visit, first: RedirectMatch, budget: StepBudget): boolean {
  const start = addressOf(visit);
  /** For each rule, the length of the path to which it was last applied. */
  const applied = new Map<Redirect, number>([[first.redirect, visit.path.length]]);
  let next = destinationOf(first, visit);
  while (next) {
    if (addressOf(next) === start) return true;
    if (!budget.take()) return false;
    const step = followOnce(site, next);
    if (!step) return false;
    if (step.redirect) {
      const before = applied.get(step.redirect);
      if (before !== undefined && next.path.length >= before) return step.redirect === first.redirect;
      applied.set(step.redirect, next.path.length);
    }
    next = step.to;
  }
  return false;
}

type Step = { readonly to: Visit | null; readonly redirect: Redirect | null };

/**
 * Follows one redirect. Returns null if nothing redirects this request. `to` is null for a redirect to another site.
 */
function followOnce({ redirects, lookUp }: Redirecting, visit: Visit): Step | null {
  const existing = lookUp(visit.path);
  if (!existing || redirects.anyForced)
    for (const match of redirects.matching(new RequestPath(visit.path), visit.query)) {
      const { redirect } = match;
      if (existing && !redirect.forced) break;
      if (redirect.does.kind === 'show') return null;
      const to = destinationOf(match, visit);
      if (to && addressOf(to) === addressOf(visit)) continue;
      return { to, redirect };
    }
  const moved = existing ? existing.kind === 'moved' && existing.path : mergedPath(lookUp, visit.path);
  return moved === false ? null : { to: { path: moved, query: visit.query }, redirect: null };
}

/** Returns the path with merged slashes if that path leads to a file, or else false. */
function mergedPath(lookUp: Redirecting['lookUp'], path: string): string | false {
  const merged = mergeSlashes(path);
  return merged !== null && lookUp(merged) !== null && merged;
}

/**
 * Returns the page that a redirect leads to. Returns null if the destination is on another site or can't be decoded.
 */
function destinationOf({ redirect, captures }: RedirectMatch, { query }: Visit): Visit | null {
  if (redirect.to.origin !== '') return null;
  const location = fillLocation(redirect.to, captures, '/', redirect.query.length === 0 ? query : '');
  const [address = ''] = location.split('#', 1);
  const mark = address.indexOf('?');
  const path = decoded(address.slice(1, mark < 0 ? undefined : mark));
  return path === null ? null : { path, query: mark < 0 ? '' : address.slice(mark) };
}

const addressOf = ({ path, query }: Visit) => `/${encodedPath(path)}${query}`;

function decoded(path: string): string | null {
  try {
    return nfc(decodeURIComponent(path), 2 * MAX_LINE_LENGTH);
  } catch {
    return null;
  }
}
