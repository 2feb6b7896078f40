import { nfc } from '../../kernel/nfc.js';
import { encodedPath, fillLocation } from './destination.js';
import type { PageLookup } from './look-up-page.js';
import type { RedirectIndex, RedirectMatch } from './redirect-index.js';
import type { Redirect } from './redirects-file.js';
import { RequestPath } from './request-path.js';
import { LINE_UP_TO } from './site-file-limits.js';

/** A request within a site: a decoded path without a leading slash, and a query with its question mark, or empty. */
type Visit = { readonly path: string; readonly query: string };

/** The rules and files of a site, as far as they decide where a visitor ends. */
export type Redirecting = {
  readonly redirects: RedirectIndex;
  readonly lookUp: (path: string) => PageLookup;
};

/** Limits the number of redirects that are followed, as each can require a search of all rules. */
export class StepBudget {
  constructor(private left: number) {}

  take(): boolean {
    return this.left-- > 0;
  }
}

/**
 * Reports whether a redirect is part of a chain that never ends: one that returns to where it began, or in which this
 * rule applies again to a path that is no shorter (`/* /en/:splat`). A redirect that only leads to such a chain is not:
 * there, the rule that is part of it is skipped. If the budget runs out first, the result is false.
 */
export function isEndless(site: Redirecting, visit: Visit, first: RedirectMatch, budget: StepBudget): boolean {
  const start = addressOf(visit);
  /** The length of the path that each rule was last applied to. */
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

/** Returns the next redirect, or null if the visitor has arrived. `to` is null if it leads to another site. */
function followOnce({ redirects, lookUp }: Redirecting, visit: Visit): Step | null {
  const existing = lookUp(visit.path);
  if (!existing || redirects.anyForced)
    for (const match of redirects.matching(new RequestPath(visit.path), visit.query)) {
      const { redirect } = match;
      if (existing && !redirect.forced) break;
      if (redirect.does.kind === 'show') return null;
      const to = destinationOf(match, visit);
      // A rule that leads back to its own request is skipped.
      if (to && addressOf(to) === addressOf(visit)) continue;
      return { to, redirect };
    }
  return existing?.kind === 'moved' ? { to: { path: existing.path, query: visit.query }, redirect: null } : null;
}

/** Returns the request that a redirect leads to, or null if it is on another site or cannot be decoded. */
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
    return nfc(decodeURIComponent(path), 2 * LINE_UP_TO);
  } catch {
    return null;
  }
}
