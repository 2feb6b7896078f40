import {
  addBuildSetting,
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

const KNOWN = [
  ...['$schema', 'version', 'name', 'outputDirectory', 'buildCommand', 'installCommand', 'cleanUrls'],
  ...['redirects', 'rewrites', 'headers'],
];

/** Reads `vercel.json`. Throws if the file is not JSON. */
export function readVercel(text: string): Findings {
  const settings = asFields(JSON.parse(text));
  const findings = createFindings('vercel.json');
  setFolder(findings, 'outputDirectory', asText(settings.outputDirectory));
  addBuildSetting(findings, 'buildCommand', asText(settings.buildCommand) ?? asText(settings.installCommand));
  addCleanUrls(findings, settings);
  for (const redirect of asList(settings.redirects)) {
    const status = redirect.statusCode ?? (redirect.permanent === false ? 307 : 308);
    addRule(findings, redirect, Number(status));
  }
  const { rewrites } = settings;
  for (const rewrite of asList(Array.isArray(rewrites) ? rewrites : Object.values(asFields(rewrites)).flat()))
    addRule(findings, rewrite, 200);
  for (const rule of asList(settings.headers)) addHeaderRule(findings, rule);
  addUnknown(findings, settings, KNOWN);
  return findings;
}
