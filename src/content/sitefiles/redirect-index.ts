import { type Captures, isExact } from './path-pattern.js';
import type { QueryParameter, Redirect } from './redirects-file.js';
import type { RequestPath } from './request-path.js';

export type RedirectMatch = { readonly redirect: Redirect; readonly captures: Captures };

type OrderedRedirect = { readonly at: number; readonly redirect: Redirect };

/** A site’s redirects. Redirects from exact paths are indexed. All others are kept in the order of the file. */
export class RedirectIndex {
  readonly #exact = new Map<string, OrderedRedirect[]>();
  readonly #patterns: OrderedRedirect[] = [];
  /** Whether any redirect takes precedence over files. */
  readonly anyForced: boolean;

  constructor(redirects: readonly Redirect[]) {
    this.anyForced = redirects.some(({ forced }) => forced);
    for (const [at, redirect] of redirects.entries()) {
      if (!isExact(redirect.from)) {
        this.#patterns.push({ at, redirect });
        continue;
      }
      const path = redirect.from.head.join('/');
      const same = this.#exact.get(path);
      if (same) same.push({ at, redirect });
      else this.#exact.set(path, [{ at, redirect }]);
    }
  }

  /**
   * Yields the redirects that match a request, in the order of the file. `query` is empty or starts with a question
   * mark.
   */
  *matching(path: RequestPath, query: string): Generator<RedirectMatch> {
    const requestQuery = new RequestQuery(query);
    let next = 0;
    for (const candidate of this.#exact.get(path.bare) ?? []) {
      for (; (this.#patterns[next]?.at ?? Infinity) < candidate.at; next++)
        yield* matchesOf(this.#patterns[next], path, requestQuery);
      yield* matchesOf(candidate, path, requestQuery);
    }
    for (; next < this.#patterns.length; next++) yield* matchesOf(this.#patterns[next], path, requestQuery);
  }
}

function* matchesOf(
  candidate: OrderedRedirect | undefined,
  path: RequestPath,
  query: RequestQuery,
): Generator<RedirectMatch> {
  if (!candidate) return;
  const { redirect } = candidate;
  const inQuery = query.match(redirect.query);
  const inPath = inQuery && path.match(redirect.from);
  if (inPath) yield { redirect, captures: { ...inPath, ...inQuery } };
}

/** The query of a request, parsed on first use. */
class RequestQuery {
  #parameters: ReadonlyMap<string, string> | null = null;

  constructor(private readonly query: string) {}

  /**
   * Returns the values that the rule captures from the query. Returns null unless the query has exactly the rule’s
   * parameters, in any order, as on Netlify.
   */
  match(wanted: readonly QueryParameter[]): Captures | null {
    if (wanted.length === 0) return {};
    this.#parameters ??= new Map(new URLSearchParams(this.query));
    if (this.#parameters.size !== wanted.length) return null;
    const captures: [string, string][] = [];
    for (const one of wanted) {
      const value = this.#parameters.get(one.key);
      if (!value || ('value' in one && one.value !== value)) return null;
      if ('name' in one) captures.push([one.name, value]);
    }
    return Object.fromEntries(captures);
  }
}
