import { type InspectionFinding, lineAt } from './deploy-warning.js';

const ROOT_ABSOLUTE_URL = /\s(?:src|href)\s*=\s*["']?\/(?![/\s])/i;

/**
 * The first URL in an HTML page that begins at the root of its host: under the service’s own URL that root is not the
 * site’s.
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
