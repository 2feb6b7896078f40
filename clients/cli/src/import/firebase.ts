import {
  addHeaders,
  addRedirect,
  addUnknown,
  asFields,
  asList,
  asText,
  createFindings,
  type Fields,
  type Findings,
  PATTERN_WHY,
} from './findings.js';
import { convertDestination, convertSource } from './path-to-regexp.js';

const KNOWN = ['site', 'target', 'public', 'ignore', 'cleanUrls', 'redirects', 'rewrites', 'headers'];

/** Reads `hosting` from `firebase.json`. Throws if the file is not JSON. */
export function readFirebase(text: string): Findings {
  const settings = asFields(JSON.parse(text));
  const findings = createFindings('firebase.json');
  const { carried, leftBehind, ignored } = findings;
  const [hosting = {}, ...others] = Array.isArray(settings.hosting)
    ? asList(settings.hosting)
    : [asFields(settings.hosting)];
  for (const { target, site } of others)
    leftBehind.push({
      what: `hosting of ${target ?? site}`,
      why: 'a folder can be linked to only one site; use --site for the others',
    });
  const folder = asText(hosting.public);
  if (folder) {
    findings.folder = folder;
    carried.push({ what: `public ${folder}`, to: 'folder in stele.json' });
  }
  // Stele never publishes these files.
  for (const pattern of Array.isArray(hosting.ignore) ? hosting.ignore.map(String) : [])
    if (!['firebase.json', '**/node_modules/**'].includes(pattern)) ignored.push(pattern);
  if (hosting.cleanUrls === true)
    carried.push({ what: 'cleanUrls', to: 'nothing to set: /about always shows about.html' });
  for (const { source, regex, destination, type = 301 } of asList(hosting.redirects))
    readRule(findings, { source, regex, destination }, Number(type));
  for (const rewrite of asList(hosting.rewrites)) {
    const feature = ['function', 'run', 'dynamicLinks'].find((name) => name in rewrite);
    if (feature)
      leftBehind.push({
        what: `rewrite ${rewrite.source ?? rewrite.regex}`,
        why: `it uses “${feature}” of Firebase`,
      });
    else readRule(findings, rewrite, 200);
  }
  for (const { source, regex, headers } of asList(hosting.headers)) {
    const from = regex === undefined ? convertSource(toPath(String(source))) : null;
    if (!from) leftBehind.push({ what: `headers of ${source ?? regex}`, why: PATTERN_WHY });
    else
      addHeaders(
        findings,
        from.path,
        asList(headers).map(({ key, value }) => [String(key), String(value)] as const),
      );
  }
  addUnknown(findings, hosting, KNOWN);
  for (const name of Object.keys(settings))
    if (name !== 'hosting' && !name.startsWith('$')) leftBehind.push({ what: name, why: 'Stele only hosts sites' });
  return findings;
}

/** Firebase's globs need not begin with a slash. */
const toPath = (source: string) => (source.startsWith('/') ? source : `/${source}`);

function readRule(findings: Findings, { source, regex, destination }: Fields, status: number): void {
  const what = `${status === 200 ? 'rewrite' : 'redirect'} ${source ?? regex} → ${destination}`;
  const from = regex === undefined ? convertSource(toPath(String(source))) : null;
  const to = from && convertDestination(String(destination), from.splat);
  if (!from || to === null) findings.leftBehind.push({ what, why: PATTERN_WHY });
  else addRedirect(findings, { from: from.path, to, status });
}
