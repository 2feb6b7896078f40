/** A setting of another host, and its counterpart in Stele. */
export type Carried = { readonly what: string; readonly to: string };

/** A setting of another host that Stele cannot take over, and the reason. */
export type LeftBehind = { readonly what: string; readonly why: string };

/** The result of reading a settings file of another host. */
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
  /** Commands that the user has to run, for settings that no file can contain. */
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

const NO_FUNCTIONS = 'Stele has no functions; use stele repo to deploy a repository with a server';

/** Settings of other hosts that have no counterpart, and the reasons. */
const REASONS = new Map([
  ['functions', NO_FUNCTIONS],
  ['edge_functions', NO_FUNCTIONS],
  ['plugins', 'Stele has no build plugins'],
  ['context', 'Stele has no deploy contexts; use --draft for a preview'],
  ['dev', 'Stele has no development server'],
  ['images', 'Stele does not transform images'],
  ['crons', 'only the build of a linked repository can have a schedule'],
  ['regions', 'the operator decides where an instance runs'],
  ['routes', 'replace them with redirects, rewrites and headers, and import again'],
  ['builds', 'replace them with buildCommand and outputDirectory'],
  ['env', 'set the values with stele secrets set NAME'],
  ['trailingSlash', 'Stele adds a slash to the address of a folder, and to no other address'],
  ['i18n', 'Stele does not choose a language for the visitor'],
]);

/** Records each setting that is not in `known`, so that the report is complete. */
export function addUnknown({ leftBehind }: Findings, settings: Fields, known: readonly string[], prefix = ''): void {
  for (const name of Object.keys(settings))
    if (!known.includes(name))
      leftBehind.push({ what: prefix + name, why: REASONS.get(name) ?? 'Stele has no such setting' });
}

/** Joins the lines of a value, because a line break would begin another rule. */
export const onOneLine = (text: string) => text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim();

type Redirect = {
  readonly from: string;
  /** Conditions on the query, as `name=value`. */
  readonly parameters?: readonly string[];
  readonly to: string;
  readonly status: number;
  /** Whether the rule also applies to paths for which there is a file. */
  readonly forced?: boolean;
};

/** Adds a redirect or rewrite, or records why it is left behind. `from` and `to` use the syntax of `_redirects`. */
export function addRedirect(
  { redirects, leftBehind }: Findings,
  { from, parameters = [], to, status, forced = false }: Redirect,
): void {
  const what = `${status === 200 ? 'rewrite' : 'redirect'} ${from} → ${to}`;
  const isElsewhere = /^[a-z][a-z0-9+.-]*:|^\/\//i.test(to);
  const words = [from, ...parameters, to];
  if (words.some((word) => /\s/.test(word))) leftBehind.push({ what, why: 'spaces in a path must be written as %20' });
  else if (isElsewhere && !REDIRECTS.has(status))
    leftBehind.push({ what, why: 'Stele cannot serve pages from another host' });
  else if (!REDIRECTS.has(status) && !PAGES.has(status))
    leftBehind.push({ what, why: `a rule cannot have the status ${status}` });
  else redirects.push(`${words.join(' ')} ${status}${forced ? '!' : ''}`);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const PAGES = new Set([200, 404, 410]);

/** Adds headers for a path, or records why they are left behind. */
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

/** Records the folder to publish, relative to the project. */
export function setFolder(findings: Findings, setting: string, folder: string | undefined): void {
  if (!folder) return;
  findings.folder = folder;
  findings.carried.push({ what: `${setting} ${folder}`, to: 'folder in stele.json' });
}

/** Records a build setting as carried over, because `stele repo` reads it from the same file. */
export function addBuildSetting({ carried, file }: Findings, setting: string, value: string | undefined): void {
  if (value)
    carried.push({
      what: setting,
      to: `stele repo, which reads ${file} (stele deploy only sends the output of a build)`,
    });
}

export function addCleanUrls({ carried }: Findings, { cleanUrls }: Fields): void {
  if (cleanUrls === true) carried.push({ what: 'cleanUrls', to: 'nothing to set: /about always shows about.html' });
}

export const PATTERN_WHY = 'placeholders (:name) and one * at the end are the only patterns that a path can have';

/** Whether a path can be used in `_redirects` and `_headers`. */
export const isPathPattern = (path: string) =>
  path.startsWith('/') && !/[()[\]{}?+|\\!@^$]/.test(path) && !/\*(?!$)/.test(path);

export const formatHeaders = (rules: readonly HeaderRule[]): string =>
  rules
    .map(({ path, headers }) => [path, ...headers.map(([name, value]) => `  ${name}: ${value}`)].join('\n'))
    .join('\n');
