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

const KNOWN = [
  ...['$schema', 'version', 'name', 'outputDirectory', 'buildCommand', 'installCommand', 'cleanUrls'],
  ...['redirects', 'rewrites', 'headers'],
];

/** Reads `vercel.json`. Throws if the file is not JSON. */
export function readVercel(text: string): Findings {
  const settings = asFields(JSON.parse(text));
  const findings = createFindings('vercel.json');
  const { carried, leftBehind } = findings;
  const folder = asText(settings.outputDirectory);
  if (folder) {
    findings.folder = folder;
    carried.push({ what: `outputDirectory ${folder}`, to: 'folder in stele.json' });
  }
  if (asText(settings.buildCommand) || asText(settings.installCommand))
    carried.push({
      what: 'buildCommand',
      to: 'stele repo, which reads vercel.json (stele deploy only sends the output of a build)',
    });
  if (settings.cleanUrls === true)
    carried.push({ what: 'cleanUrls', to: 'nothing to set: /about always shows about.html' });
  for (const redirect of asList(settings.redirects)) {
    const status = redirect.statusCode ?? (redirect.permanent === false ? 307 : 308);
    readRule(findings, redirect, Number(status));
  }
  const { rewrites } = settings;
  for (const rewrite of asList(Array.isArray(rewrites) ? rewrites : Object.values(asFields(rewrites)).flat()))
    readRule(findings, rewrite, 200);
  for (const { source, headers, has, missing } of asList(settings.headers)) {
    const from = convertSource(String(source));
    const what = `headers of ${source}`;
    if (has || missing) leftBehind.push({ what, why: 'a rule cannot have conditions' });
    else if (!from) leftBehind.push({ what, why: PATTERN_WHY });
    else
      addHeaders(
        findings,
        from.path,
        asList(headers).map(({ key, value }) => [String(key), String(value)] as const),
      );
  }
  addUnknown(findings, settings, KNOWN);
  return findings;
}

function readRule(findings: Findings, { source, destination, has, missing }: Fields, status: number): void {
  const what = `${status === 200 ? 'rewrite' : 'redirect'} ${source} → ${destination}`;
  const from = convertSource(String(source));
  const to = from && convertDestination(String(destination), from.splat);
  if (has || missing)
    findings.leftBehind.push({ what, why: 'it depends on the request, but a rule cannot have conditions' });
  else if (!from || to === null) findings.leftBehind.push({ what, why: PATTERN_WHY });
  else addRedirect(findings, { from: from.path, to, status });
}
