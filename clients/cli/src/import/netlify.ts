import { parse } from 'smol-toml';
import {
  addBuildSetting,
  addHeaders,
  addRedirect,
  addUnknown,
  asFields,
  asList,
  asText,
  createFindings,
  type Fields,
  type Findings,
  isPathPattern,
  PATTERN_WHY,
  setFolder,
} from './findings.js';

/** Reads `netlify.toml`. Throws if the file is not TOML. */
export function readNetlify(text: string): Findings {
  const settings: Fields = parse(text);
  const findings = createFindings('netlify.toml');
  const { commands } = findings;
  const build = asFields(settings.build);
  const base = asText(build.base);
  const publish = asText(build.publish);
  const folder =
    publish &&
    [base, publish]
      .filter(Boolean)
      .join('/')
      .replaceAll(/\/{2,}/g, '/');
  setFolder(findings, 'build.publish', folder);
  if (!publish) addBuildSetting(findings, 'build.base', base);
  addBuildSetting(findings, 'build.command', asText(build.command));
  for (const name of Object.keys(asFields(build.environment))) {
    if (name === 'NODE_VERSION') addBuildSetting(findings, name, name);
    else commands.push(`stele secrets set ${name}`);
  }
  for (const redirect of asList(settings.redirects)) readRedirect(findings, redirect);
  for (const { for: path, values } of asList(settings.headers))
    addHeaders(
      findings,
      String(path),
      Object.entries(asFields(values)).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, String(each)]),
      ),
    );
  addUnknown(findings, build, ['base', 'publish', 'command', 'environment'], 'build.');
  addUnknown(findings, settings, ['build', 'redirects', 'headers']);
  return findings;
}

function readRedirect(
  findings: Findings,
  { from, to, status = 301, force, query, conditions, headers, signed }: Fields,
) {
  const [source, target] = [String(from ?? ''), String(to ?? from ?? '')];
  const what = `redirect ${source} → ${target}`;
  if (Object.keys(asFields(conditions)).length > 0)
    findings.leftBehind.push({ what, why: 'it depends on the visitor, but a rule cannot have conditions' });
  else if (headers !== undefined || signed !== undefined)
    findings.leftBehind.push({ what, why: 'Stele cannot serve pages from another host' });
  else if (!isPathPattern(source)) findings.leftBehind.push({ what, why: PATTERN_WHY });
  else {
    const parameters = Object.entries(asFields(query)).map(([name, value]) => `${name}=${value}`);
    addRedirect(findings, { from: source, parameters, to: target, status: Number(status), forced: force === true });
  }
}
