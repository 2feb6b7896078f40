import { setImmediate } from 'node:timers/promises';
import { encodedPath, fillLocation, fillPagePath } from './destination.js';
import { isEndless, StepBudget } from './endless-redirect.js';
import { lookUpPage, type PageLookup } from './look-up-page.js';
import { ANY_TEXT, examplePath, isExact } from './path-pattern.js';
import { RedirectIndex } from './redirect-index.js';
import type { Redirect } from './redirects-file.js';
import { RequestPath } from './request-path.js';
import type { WarningCollector } from './site-file-warning.js';

/** Number of rules to check before yielding to other requests. */
const IN_A_TURN = 20;
/** Maximum number of comparisons between rules. In larger files, the remaining lines are not checked. */
const MAX_COMPARISONS = 250_000;
const STEPS_OF_A_RULE = 12;
const ENDLESS =
  'This redirect is skipped where it would cause an endless loop. Its destination must not lead back to its path.';

/** Warns about valid redirects that have no effect on a site with these files, and about redirects that never end. */
export async function explainRedirects(
  redirects: readonly Redirect[],
  has: (path: string) => boolean,
  warnings: WarningCollector,
): Promise<void> {
  const site = { redirects: new RedirectIndex(redirects), lookUp: (path: string) => lookUpPage(has, path) };
  const patterns = redirects.filter(({ from }) => !isExact(from)).length;
  for (const [at, redirect] of redirects.entries()) {
    if (at * patterns > MAX_COMPARISONS) return;
    if (at % IN_A_TURN === IN_A_TURN - 1) await setImmediate();
    const why = explain(site, redirect);
    if (why !== null) warnings.add(redirect.line, why);
  }
}

type Site = { readonly redirects: RedirectIndex; readonly lookUp: (path: string) => PageLookup };

function explain(site: Site, redirect: Redirect): string | null {
  const { from, to, does, forced } = redirect;
  const path = examplePath(from);
  const query = exampleQuery(redirect);
  const existing = isExact(from) ? site.lookUp(path) : null;
  const page = does.kind === 'show' && to.page.every((part) => typeof part === 'string') ? fillPagePath(to, {}) : null;
  const shown = page === null ? null : fileShown(site, page);

  for (const match of site.redirects.matching(new RequestPath(path), query)) {
    const isSelf = match.redirect === redirect;
    const location = match.redirect.does.kind === 'send' ? locationOf(match.redirect, match.captures, query) : null;
    if (location === `/${encodedPath(path)}${query}`) {
      if (
        isSelf &&
        isExact(from) &&
        isEndless(site, { path: `${path}/`, query }, match, new StepBudget(STEPS_OF_A_RULE))
      )
        return ENDLESS;
      if (isSelf) return 'This line has no effect, because it redirects to the same URL. Remove it.';
      continue;
    }
    if (!isSelf)
      return `This line has no effect, because line ${match.redirect.line} applies to the same path first. Remove one of them, or move this line up.`;
    if (existing && !forced && !isSamePage(existing, to, shown))
      return `This line has no effect, because the site has a file for this path: ${existing.kind === 'file' ? existing.path : `${existing.path}index.html`}. To apply it anyway, write an exclamation mark after the status: ${does.status}!`;
    if (location !== null && isEndless(site, { path, query }, match, new StepBudget(STEPS_OF_A_RULE))) return ENDLESS;
    break;
  }
  if (page !== null && shown === null && does.status !== 410)
    return `This line shows the 404 page, because the site has no file for its destination, /${page}.`;
  return null;
}

/**
 * Reports whether a rule such as `/about /about.html 200` or `/docs /docs/` is harmless. The site behaves the same with
 * and without such a rule.
 */
const isSamePage = (existing: NonNullable<PageLookup>, to: Redirect['to'], shown: string | null) =>
  existing.path === shown || (to.origin === '' && to.path.join('') === `/${existing.path}`);

function fileShown({ lookUp }: Site, page: string): string | null {
  const found = lookUp(page);
  const there = found?.kind === 'moved' ? lookUp(found.path) : found;
  return there?.path ?? null;
}

const locationOf = (redirect: Redirect, captures: Parameters<typeof fillLocation>[1], query: string) =>
  fillLocation(redirect.to, captures, '/', redirect.query.length === 0 ? query : '').split('#', 1)[0];

function exampleQuery({ query }: Redirect): string {
  const parameters = query.map((one): [string, string] => [one.key, 'value' in one ? one.value : ANY_TEXT]);
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
}
