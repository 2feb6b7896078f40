import { isSiteFile } from '../../../content/sitefiles/site-file-limits.js';
import type { Manifest } from '../../../storage/blobs/manifest.js';

/** Reports whether a folder contains files. `folder` ends with a slash, or is empty for the root of the site. */
export function hasFolder({ files }: Manifest, folder: string): boolean {
  for (const path of files.keys()) if (path.startsWith(folder) && !isSiteFile(path)) return true;
  return false;
}

/**
 * Lists the names in a folder. Names of folders end with a slash. Configuration files of the site, such as `_headers`,
 * are omitted.
 */
export function listNames({ files }: Manifest, folder: string): string[] {
  const names = new Set<string>();
  for (const path of files.keys()) {
    if (!path.startsWith(folder) || isSiteFile(path)) continue;
    const slash = path.indexOf('/', folder.length);
    names.add(path.slice(folder.length, slash < 0 ? undefined : slash + 1));
  }
  return [...names];
}
