import { isSiteFile } from '../../../content/sitefiles/site-file-limits.js';
import type { Manifest, ManifestFile } from '../../../storage/blobs/manifest.js';

export type FindResult =
  | { readonly kind: 'file'; readonly status: 200 | 404; readonly file: ManifestFile }
  /** Path of the folder relative to the site, with a trailing slash: `docs/`. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'nothing' };

/**
 * Implements docs/interface/serving.md, "Which file is shown". `/` and folders show their `index.html`. `/about` shows
 * the file with that name, otherwise `about.html`, otherwise redirects to the folder. Anything else shows `404.html`.
 * Paths are in NFC, and are never used as file system paths.
 */
export function findFile({ files }: Manifest, path: string): FindResult {
  const candidates = path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  for (const candidate of candidates) {
    const file = files.get(candidate);
    if (file && !isSiteFile(candidate)) return { kind: 'file', status: 200, file };
  }
  if (path !== '' && !path.endsWith('/') && files.has(`${path}/index.html`))
    return { kind: 'folder', path: `${path}/` };

  const notFound = files.get('404.html');
  return notFound ? { kind: 'file', status: 404, file: notFound } : { kind: 'nothing' };
}
