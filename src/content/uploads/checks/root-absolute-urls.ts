import { type InspectionFinding, lineAt } from './deploy-warning.js';

const ROOT_ABSOLUTE_URL = /\s(?:src|href)\s*=\s*["']?\/(?![/\s])/i;

/**
 * Finds the first root-relative URL in an HTML page. If the site is served under the service’s own URL, such a URL does
 * not lead to the site.
 */
export function rootAbsoluteUrlIn(path: string, bytes: Buffer): InspectionFinding | null {
  if (!/\.html?$/i.test(path)) return null;
  const text = bytes.toString('latin1');
  const found = ROOT_ABSOLUTE_URL.exec(text);
  if (!found) return null;
  return {
    line: lineAt(text, found.index + 1),
    message: 'URLs that start with / work on the site’s own host, but not under its `pathUrl`.',
  };
}
