import { createFindings, type Findings } from './findings.js';

/** Reads the `CNAME` file of GitHub Pages, which contains one host name. */
export function readCname(text: string, file: string): Findings {
  const findings = createFindings(file);
  const name = text.trim();
  if (/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name)) {
    const command = `stele domains add ${name.toLowerCase()}`;
    findings.carried.push({ what: name, to: command });
    findings.commands.push(command);
  } else if (name !== '') findings.leftBehind.push({ what: file, why: 'it must contain exactly one host name' });
  return findings;
}
