import { addHeaders, addRedirect, asList, type Fields, type Findings, PATTERN_WHY } from './findings.js';
import { convertDestination, convertSource } from './path-to-regexp.js';

/** Adds a redirect or rewrite of Vercel or Firebase, or records why it cannot be taken over. */
export function addRule(findings: Findings, rule: Fields, status: number): void {
  const { source, regex, destination } = rule;
  const from = convertRule(rule);
  const to = from && convertDestination(String(destination), from.splat);
  if (from && to !== null) addRedirect(findings, { from: from.path, to, status });
  else {
    const what = `${status === 200 ? 'rewrite' : 'redirect'} ${source ?? regex} → ${destination}`;
    findings.leftBehind.push({ what, why: explain(rule) });
  }
}

/** Adds the headers of Vercel or Firebase for a path, or records why they cannot be taken over. */
export function addHeaderRule(findings: Findings, rule: Fields): void {
  const { source, regex, headers } = rule;
  const from = convertRule(rule);
  const pairs = asList(headers).map(({ key, value }) => [String(key), String(value)] as const);
  if (from) addHeaders(findings, from.path, pairs);
  else findings.leftBehind.push({ what: `headers of ${source ?? regex}`, why: explain(rule) });
}

/**
 * Converts the path of a rule. Returns null if the rule has a condition (Vercel) or a regular expression (Firebase),
 * which `_redirects` cannot express. Firebase globs may lack the leading slash.
 */
function convertRule({ source, regex, has, missing }: Fields) {
  if (regex !== undefined || has || missing) return null;
  const path = String(source);
  return convertSource(path.startsWith('/') ? path : `/${path}`);
}

const explain = ({ has, missing }: Fields) =>
  has || missing ? 'it depends on the request, but a rule cannot have conditions' : PATTERN_WHY;
