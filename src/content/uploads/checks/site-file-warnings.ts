import type { BlobStore } from '../../../storage/blobs/blob-store.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';
import { HeadersFile } from '../../sitefiles/headers-file.js';
import { readSiteFile } from '../../sitefiles/read-site-file.js';
import { RedirectsFile } from '../../sitefiles/redirects-file.js';
import { HEADERS, REDIRECTS } from '../../sitefiles/site-file-limits.js';
import type { DeployWarning } from './deploy-warning.js';

/**
 * Returns warnings for lines in `_redirects` and `_headers` that have no effect. Uses the same parsers as serving does.
 */
export async function siteFileWarnings(
  blobs: BlobStore,
  files: readonly ManifestFile[],
): Promise<readonly DeployWarning[]> {
  const warnings: DeployWarning[] = [];
  for (const [path, lines] of [[REDIRECTS, new RedirectsFile()] as const, [HEADERS, new HeadersFile()] as const]) {
    const file = files.find((each) => each.path === path);
    if (!file) continue;
    await readSiteFile(blobs.stream(file.sha256), lines);
    warnings.push(...lines.warnings.all);
  }
  return warnings;
}
