import { plural } from '../../kernel/output/quantities.js';
import { destination, looksLikeDestination, type RuleDestination } from './destination.js';
import {
  explainLiteral,
  isProblem,
  listPlaceholders,
  type PathPattern,
  type PatternProblem,
  pathPattern,
  shorten,
} from './path-pattern.js';
import { MAX_LINE_LENGTH, MAX_REDIRECTS, REDIRECTS } from './site-file-limits.js';
import { WarningCollector } from './site-file-warning.js';

const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
const PAGE_STATUSES = [200, 404, 410] as const;

export type Redirect = {
  /** Line number, starting at 1. */
  readonly line: number;
  readonly from: PathPattern;
  /** Parameters that the request’s query must have. The query must not have any others. */
  readonly query: readonly QueryParameter[];
  readonly to: RuleDestination;
  readonly does:
    | { readonly kind: 'send'; readonly status: (typeof REDIRECT_STATUSES)[number] }
    /** The rule shows a page of this site without changing the URL in the browser. */
    | { readonly kind: 'show'; readonly status: (typeof PAGE_STATUSES)[number] };
  /** Whether the redirect takes precedence over a file with this path. */
  readonly forced: boolean;
};

/** A query parameter of a rule: either its required value, or the name under which its value is captured. */
export type QueryParameter = { readonly key: string; readonly value: string } | { key: string; readonly name: string };

/**
 * Parses lines of `_redirects`: `from [name=value…] to [status[!]]`, the format shared by Netlify and Cloudflare. The
 * default status is 301, as on Netlify. Ignores invalid lines with a warning.
 */
export class RedirectsFile {
  readonly redirects: Redirect[] = [];
  readonly warnings = new WarningCollector(REDIRECTS);
  #tooMany = false;

  /** `number` is the line number, starting at 1. */
  line(written: string, number: number): void {
    if (written.length > MAX_LINE_LENGTH) {
      this.warnings.add(number, `Ignored: the line is longer than ${plural(MAX_LINE_LENGTH, 'character')}.`);
      return;
    }
    const line = written.trim();
    if (line === '' || line.startsWith('#')) return;
    if (this.redirects.length >= MAX_REDIRECTS) {
      if (!this.#tooMany)
        this.warnings.add(
          number,
          `Ignored from here on: a site can have at most ${plural(MAX_REDIRECTS, 'redirect')}.`,
        );
      this.#tooMany = true;
      return;
    }
    const tokens = line.split(/\s+/);
    const redirect = redirectOf(tokens);
    if (isProblem(redirect)) {
      this.warnings.add(number, `Ignored: ${redirect.problem}.`);
      return;
    }
    const advice = explainLiteral(tokens[0] ?? '') ?? explainPlaceholders(redirect, tokens);
    if (advice !== null) this.warnings.add(number, advice);
    this.redirects.push({ line: number, ...redirect });
  }

  /** Does nothing, because each line is complete in itself. */
  end(): void {}
}

/** Returns a warning about a placeholder that does not work as intended, or null. */
function explainPlaceholders({ from }: Omit<Redirect, 'line'>, tokens: readonly string[]): string | null {
  const [path = '', ...rest] = tokens;
  const to = rest.find(looksLikeDestination) ?? '';
  const [, name, suffix] = /\/:([A-Za-z]\w*)(-[A-Za-z][\w-]*)(?:\/|$)/.exec(path) ?? [];
  if (name !== undefined && suffix !== undefined && !usesAlone(to, name, suffix))
    return `The name of the placeholder :${name} ends before the hyphen, so it only matches segments that end in “${shorten(suffix)}”. Use _ instead of the hyphen.`;
  const names = [...listPlaceholders(from), ...rest.flatMap((token) => /^[^=/]+=:(\w+)$/.exec(token)?.[1] ?? [])];
  for (const [, unknown = ''] of to.matchAll(/[/=]:([A-Za-z]\w*)/g)) {
    if (names.includes(unknown)) continue;
    const why = unknown === 'splat' ? 'the path does not end in *' : 'the path has no such placeholder';
    return `:${shorten(unknown)} in the destination is sent as it is, because ${why}.`;
  }
  return /\/\*(?:$|[/?#])/.test(to)
    ? 'The * in the destination is sent as it is. Write :splat for the text that the * in the path matches.'
    : null;
}

/** Reports whether a destination uses a placeholder without the suffix that the placeholder has in the path. */
const usesAlone = (to: string, name: string, suffix: string) =>
  [...to.matchAll(/:([A-Za-z]\w*)/g)].some(
    ({ 1: used, index }) => used === name && !to.startsWith(suffix, index + name.length + 1),
  );

function redirectOf(written: readonly string[]): Omit<Redirect, 'line'> | PatternProblem {
  const comment = written.findIndex((token) => token.startsWith('#'));
  const [from = '', ...rest] = comment < 0 ? written : written.slice(0, comment);
  const fault = fromFault(from);
  if (fault) return { problem: fault };

  const toAt = rest.findIndex(looksLikeDestination);
  const to = rest[toAt];
  if (to === undefined) return { problem: 'the destination is missing; it must start with /, http:// or https://' };
  const arrow = rest.find((token) => /^[-=]+>$/.test(token));
  if (arrow !== undefined)
    return { problem: `separate the path and the destination with a space; leave out “${arrow}”` };
  const [status, ...conditions] = rest.slice(toAt + 1);
  const conditional = [status ?? '', ...conditions].find((token) => token.includes('='));
  if (conditional !== undefined) return { problem: conditionFault(conditional) };
  if (conditions.length > 0) return { problem: 'nothing can follow the status' };
  return assembled(from, rest.slice(0, toAt), to, status);
}

function assembled(
  from: string,
  parameters: readonly string[],
  to: string,
  status = '301',
): Omit<Redirect, 'line'> | PatternProblem {
  const pattern = pathPattern(from.split('#', 1)[0] ?? '');
  if (isProblem(pattern)) return pattern;
  if (pattern.tail.length > 0 || pattern.splat?.after)
    return { problem: '* is only allowed at the end of the path; elsewhere, use a placeholder such as :name' };
  const query = queryOf(parameters);
  if (isProblem(query)) return query;
  const names = [...listPlaceholders(pattern), ...query.flatMap((one) => ('name' in one ? [one.name] : []))];
  if (new Set(names).size < names.length) return { problem: 'a placeholder appears twice' };
  const leads = destination(to, names);
  if (isProblem(leads)) return leads;
  if (leads.path.length > 0 && to.startsWith('/.netlify/')) return { problem: 'Netlify functions are not supported' };

  const forced = status.endsWith('!');
  const code = forced ? status.slice(0, -1) : status;
  const send = REDIRECT_STATUSES.find((each) => `${each}` === code);
  const show = PAGE_STATUSES.find((each) => `${each}` === code);
  const base = { from: pattern, query, to: leads, forced };
  if (send) return { ...base, does: { kind: 'send', status: send } };
  if (!show)
    return {
      problem: `“${shorten(status)}” is not a supported status (${[...PAGE_STATUSES, ...REDIRECT_STATUSES].join(', ')})`,
    };
  if (leads.origin !== '')
    return { problem: `status ${show} can only show a page on this site; use a redirect status for other hosts` };
  return { ...base, does: { kind: 'show', status: show } };
}

function fromFault(from: string): string | null {
  if (/^https?:/i.test(from))
    return 'a rule must start with a path on this site, not with a host; to redirect one domain to another, set redirectTo on the domain';
  if (/^\/\/+$/.test(from)) return 'a comment must start with #';
  if (/^\[\[?\w/.test(from))
    return 'this is the syntax of netlify.toml; write a path and a destination on each line instead';
  if (/^["'“”„‘’«]/.test(from)) return 'write the path and the destination without quotation marks';
  if (/^\p{Default_Ignorable_Code_Point}/u.test(from)) return 'there is an invisible character before the path';
  if (!from.startsWith('/')) return 'the path must start with /';
  if (from.includes('?')) return 'write query parameters after the path, as name=value, separated by spaces';
  if (from.startsWith('/.netlify/')) return 'Netlify functions are not supported';
  return null;
}

const conditionFault = (token: string) =>
  `conditions are not supported, and this rule depends on ${shorten(token.split('=', 1)[0] ?? '')}`;

function queryOf(parameters: readonly string[]): readonly QueryParameter[] | PatternProblem {
  const query: QueryParameter[] = [];
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    const key = parameter.slice(0, equals);
    const value = parameter.slice(equals + 1);
    if (equals < 1 || value === '')
      return {
        problem:
          'only query parameters, written as name=value, can appear between the path and the destination; write a space in a path as %20',
      };
    if (query.some((other) => other.key === key))
      return { problem: `the query parameter ${shorten(key)} appears twice` };
    const name = /^:([A-Za-z]\w*)$/.exec(value)?.[1];
    query.push(name === undefined ? { key, value } : { key, name });
  }
  return query;
}
