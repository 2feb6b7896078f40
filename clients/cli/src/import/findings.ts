/** Something that another host is told, and that Stele does in its own way. */
export type Carried = { readonly what: string; readonly to: string };

/** Something that has no counterpart, and why. */
export type LeftBehind = { readonly what: string; readonly why: string };

/** What the settings of another host contain. */
export type Findings = {
  readonly file: string;
  readonly carried: Carried[];
  readonly leftBehind: LeftBehind[];
  /** Lines for `_redirects`, in order: the first that matches applies. */
  readonly redirects: string[];
  /** Rules for `_headers`. */
  readonly headers: HeaderRule[];
  /** The folder that is published, relative to the project. */
  folder?: string;
  /** Lines for `.steleignore`. */
  readonly ignored: string[];
  /** Commands that set up the rest. */
  readonly commands: string[];
};

export type HeaderRule = { readonly path: string; readonly headers: readonly (readonly [string, string])[] };

export type Fields = Readonly<Record<string, unknown>>;

export const createFindings = (file: string): Findings => ({
  file,
  carried: [],
  leftBehind: [],
  redirects: [],
  headers: [],
  ignored: [],
  commands: [],
});

export const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

export const asList = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(asFields) : []);

/** A value on one line, as a line break would begin another rule. */
export const onOneLine = (text: string) => text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim();

type Redirect = {
  readonly from: string;
  /** Conditions on the query, as `name=value`. */
  readonly parameters?: readonly string[];
  readonly to: string;
  readonly status: number;
  /** Whether the rule applies to paths that have a file. */
  readonly forced?: boolean;
};

/** Adds a redirect or rewrite, or says why it is left behind. `from` and `to` have the form of `_redirects`. */
export function addRedirect(
  { redirects, leftBehind }: Findings,
  { from, parameters = [], to, status, forced = false }: Redirect,
): void {
  const what = `${status === 200 ? 'rewrite' : 'redirect'} ${from} → ${to}`;
  const isElsewhere = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(to);
  const words = [from, ...parameters, to];
  if (words.some((word) => /\s/.test(word)))
    leftBehind.push({ what, why: 'a path with a space has to be written as %20' });
  else if (isElsewhere && !REDIRECTS.has(status))
    leftBehind.push({ what, why: 'Stele shows only its own files, and does not fetch pages from another host' });
  else if (!REDIRECTS.has(status) && !PAGES.has(status))
    leftBehind.push({ what, why: `${status} is not a status that a rule can have` });
  else redirects.push(`${words.join(' ')} ${status}${forced ? '!' : ''}`);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const PAGES = new Set([200, 404, 410]);

/** Adds headers for a path that ends in `*` or is exact. */
export function addHeaders(
  { headers, leftBehind }: Findings,
  path: string,
  pairs: readonly (readonly [string, string])[],
) {
  if (!isPathPattern(path)) {
    leftBehind.push({ what: `headers of ${path}`, why: PATTERN_WHY });
    return;
  }
  if (pairs.length > 0)
    headers.push({ path, headers: pairs.map(([name, value]) => [name, onOneLine(value)] as const) });
}

export const PATTERN_WHY = 'a path can have placeholders and one * at its end, and no other pattern';

/** Whether `_redirects` and `_headers` can express a path. */
export const isPathPattern = (path: string) =>
  path.startsWith('/') && !/[()[\]{}?+|\\!@^$]/.test(path) && !/\*(?!$)/.test(path);

/** The text of `_headers`. */
export const formatHeaders = (rules: readonly HeaderRule[]): string =>
  rules
    .map(({ path, headers }) => [path, ...headers.map(([name, value]) => `  ${name}: ${value}`)].join('\n'))
    .join('\n');
