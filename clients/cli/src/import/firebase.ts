import {
  addCleanUrls,
  addUnknown,
  asFields,
  asList,
  asText,
  createFindings,
  type Findings,
  setFolder,
} from './findings.js';
import { addHeaderRule, addRule } from './rules.js';

const KNOWN = ['site', 'target', 'public', 'ignore', 'cleanUrls', 'redirects', 'rewrites', 'headers'];

/** Reads `hosting` from `firebase.json`. Throws if the file is not JSON. */
export function readFirebase(text: string): Findings {
  const settings = asFields(JSON.parse(text));
  const findings = createFindings('firebase.json');
  const { leftBehind, ignored } = findings;
  const [hosting = {}, ...others] = Array.isArray(settings.hosting)
    ? asList(settings.hosting)
    : [asFields(settings.hosting)];
  for (const { target, site } of others)
    leftBehind.push({
      what: `hosting of ${target ?? site}`,
      why: 'a folder can be linked to only one site; use --site for the others',
    });
  setFolder(findings, 'public', asText(hosting.public));
  // Stele never publishes these files.
  for (const pattern of Array.isArray(hosting.ignore) ? hosting.ignore.map(String) : [])
    if (!['firebase.json', '**/node_modules/**'].includes(pattern)) ignored.push(pattern);
  addCleanUrls(findings, hosting);
  for (const redirect of asList(hosting.redirects)) addRule(findings, redirect, Number(redirect.type ?? 301));
  for (const rewrite of asList(hosting.rewrites)) {
    const feature = ['function', 'run', 'dynamicLinks'].find((name) => name in rewrite);
    if (feature)
      leftBehind.push({
        what: `rewrite ${rewrite.source ?? rewrite.regex}`,
        why: `it uses “${feature}” of Firebase`,
      });
    else addRule(findings, rewrite, 200);
  }
  for (const rule of asList(hosting.headers)) addHeaderRule(findings, rule);
  addUnknown(findings, hosting, KNOWN);
  for (const name of Object.keys(settings))
    if (name !== 'hosting' && !name.startsWith('$')) leftBehind.push({ what: name, why: 'Stele only hosts sites' });
  return findings;
}
