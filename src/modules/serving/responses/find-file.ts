import { lookUpPage } from '../../../content/sitefiles/look-up-page.js';
import type { Manifest, ManifestFile } from '../../../storage/blobs/manifest.js';

export type FindResult =
  | { readonly kind: 'file'; readonly status: 200 | 404; readonly file: ManifestFile }
  /**
   * The URL redirects. `path` is the target, relative to the site, such as `docs/` for a folder, or `about` for
   * `about/`.
   */
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'nothing' };

/**
 * Finds the file that is shown at a path (docs/interface/serving.md, "Which file is shown"). A missing path shows
 * `404.html`. Paths, in NFC, are looked up in the manifest and never joined to a file system path.
 */
export function findFile({ files }: Manifest, path: string): FindResult {
  const found = lookUpPage((candidate) => files.has(candidate), path);
  if (found?.kind === 'moved') return { kind: 'moved', path: found.path };
  const file = found && files.get(found.path);
  if (file) return { kind: 'file', status: 200, file };
  const notFound = files.get('404.html');
  return notFound ? { kind: 'file', status: 404, file: notFound } : { kind: 'nothing' };
}
