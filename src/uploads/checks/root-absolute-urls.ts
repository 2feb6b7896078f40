import { lineAt } from './text-lines.js';

const ADDRESS = /\s(?:src|href)\s*=\s*["']?\/(?![/\s])/i;

/** The first address in a page that begins at the root of its host, which is not the site's under the service's own. */
export function rootAddressIn(path: string, bytes: Buffer): { line: number; message: string } | null {
  if (!/\.html?$/i.test(path)) return null;
  const text = bytes.toString('latin1');
  const found = ADDRESS.exec(text);
  if (!found) return null;
  return {
    line: lineAt(text, found.index + 1),
    message: 'Addresses that begin with / do not work under pathUrl; they do at the site’s own address.',
  };
}
