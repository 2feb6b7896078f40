import { destination, looksLikeDestination, type RuleDestination } from './destination.js';
import { isProblem, namesIn, type PathPattern, type PatternProblem, pathPattern } from './path-pattern.js';
import { LINE_UP_TO, REDIRECTS, REDIRECTS_UP_TO } from './site-file-limits.js';
import { SiteFileWarnings } from './site-file-warning.js';

const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
const PAGE_STATUSES = [200, 404, 410] as const;

/** One line of `_redirects`. */
export type Redirect = {
  readonly from: PathPattern;
  /** Parameters that the request’s query must have, these and no others, with their values. */
  readonly query: readonly QueryParameter[];
  readonly to: RuleDestination;
  readonly does:
    | { readonly kind: 'send'; readonly status: (typeof REDIRECT_STATUSES)[number] }
    /** Shows a page of this site, and leaves the address as it is. */
    | { readonly kind: 'show'; readonly status: (typeof PAGE_STATUSES)[number] };
  /** Goes before a file of this path. */
  readonly forced: boolean;
};

/** Which value it must have, or by which name that is to be known. */
export type QueryParameter = { readonly key: string; readonly value: string } | { key: string; readonly name: string };

/**
 * Reads `_redirects` line by line: `from [name=value…] to [status[!]]`, the format that Netlify and Cloudflare share.
 * Without a status it is 301, as at Netlify. A line that cannot be followed is ignored with a warning.
 */
export class RedirectsFile {
  readonly redirects: Redirect[] = [];
  readonly warnings = new SiteFileWarnings(REDIRECTS);
  #tooMany = false;

  /** Numbers count from 1. */
  line(written: string, number: number): void {
    if (written.length > LINE_UP_TO) {
      this.warnings.add(number, `Ignored: a line may have ${LINE_UP_TO} characters.`);
      return;
    }
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return;
    if (this.redirects.length >= REDIRECTS_UP_TO) {
      if (!this.#tooMany)
        this.warnings.add(number, `Ignored from here on: a site may have ${REDIRECTS_UP_TO} redirects.`);
      this.#tooMany = true;
      return;
    }
    const redirect = redirectOf(line.split(/\s+/));
    if (isProblem(redirect)) this.warnings.add(number, `Ignored: ${redirect.problem}.`);
    else this.redirects.push(redirect);
  }
}

function redirectOf(written: readonly string[]): Redirect | PatternProblem {
  const comment = written.findIndex((token) => token.startsWith('#'));
  const [from = '', ...rest] = comment < 0 ? written : written.slice(0, comment);
  const fault = fromFault(from);
  if (fault) return { problem: fault };

  const toAt = rest.findIndex(looksLikeDestination);
  const to = rest[toAt];
  if (to === undefined) return { problem: 'it says no destination, which begins with /, http:// or https://' };
  const [status, ...conditions] = rest.slice(toAt + 1);
  const conditional = [status ?? '', ...conditions].find((token) => token.includes('='));
  if (conditional !== undefined) return { problem: conditionFault(conditional) };
  if (conditions.length > 0) return { problem: 'nothing may stand behind the status' };
  return assembled(from, rest.slice(0, toAt), to, status);
}

function assembled(from: string, parameters: readonly string[], to: string, status = '301'): Redirect | PatternProblem {
  const pattern = pathPattern(from.split('#', 1)[0] ?? '');
  if (isProblem(pattern)) return pattern;
  if (pattern.tail.length > 0 || pattern.splat?.after)
    return { problem: 'a * stands at the end of the path; elsewhere use a placeholder such as :name' };
  const query = queryOf(parameters);
  if (isProblem(query)) return query;
  const names = [...namesIn(pattern), ...query.flatMap((one) => ('name' in one ? [one.name] : []))];
  if (new Set(names).size < names.length) return { problem: 'a placeholder can stand for one thing only' };
  const leads = destination(to, names);
  if (isProblem(leads)) return leads;
  if (leads.path.length > 0 && to.startsWith('/.netlify/')) return { problem: 'functions of Netlify do not run here' };

  const forced = status.endsWith('!');
  const code = forced ? status.slice(0, -1) : status;
  const send = REDIRECT_STATUSES.find((each) => `${each}` === code);
  const show = PAGE_STATUSES.find((each) => `${each}` === code);
  const base = { from: pattern, query, to: leads, forced };
  if (send) return { ...base, does: { kind: 'send', status: send } };
  if (!show)
    return {
      problem: `“${short(status)}” is none of the statuses ${[...PAGE_STATUSES, ...REDIRECT_STATUSES].join(', ')}`,
    };
  if (leads.origin !== '')
    return { problem: `a ${show} shows a page of this site; other hosts can be redirected to, not shown` };
  return { ...base, does: { kind: 'show', status: show } };
}

function fromFault(from: string): string | null {
  if (/^https?:/i.test(from)) return 'it begins with a host, and the rules of a site are about its paths';
  if (!from.startsWith('/')) return 'a path begins with /';
  if (from.includes('?')) return 'query parameters stand behind the path with a space between, as name=value';
  if (from.startsWith('/.netlify/')) return 'functions of Netlify do not run here';
  return null;
}

const conditionFault = (token: string) =>
  `it depends on ${short(token.split('=', 1)[0] ?? '')}, and conditions are not looked at here`;

function queryOf(parameters: readonly string[]): readonly QueryParameter[] | PatternProblem {
  const query: QueryParameter[] = [];
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    const key = parameter.slice(0, equals);
    const value = parameter.slice(equals + 1);
    if (equals < 1 || value === '')
      return { problem: 'between path and destination stand query parameters, each as name=value' };
    if (query.some((other) => other.key === key)) return { problem: `the query parameter ${short(key)} stands twice` };
    const name = /^:([A-Za-z]\w*)$/.exec(value)?.[1];
    query.push(name === undefined ? { key, value } : { key, name });
  }
  return query;
}

/** Enough of what the author wrote to find it again. */
const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
