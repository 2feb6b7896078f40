import { hash } from 'node:crypto';
import { HeadersFile } from '../../../src/content/sitefiles/headers-file.js';
import { readSiteFile } from '../../../src/content/sitefiles/read-site-file.js';
import { RedirectIndex } from '../../../src/content/sitefiles/redirect-index.js';
import { RedirectsFile } from '../../../src/content/sitefiles/redirects-file.js';
import type { SiteRules } from '../../../src/modules/serving/rules/site-rules.js';
import { decodeManifest, encodeManifest, type Manifest } from '../../../src/storage/blobs/manifest.js';

/** Returns the rules that the service reads from these two files of a site, and the warnings about their lines. */
export async function rulesOf(redirects: string | Buffer, headers: string | Buffer = '') {
  const [redirectLines, headerLines] = [new RedirectsFile(), new HeadersFile()];
  await readSiteFile(arriving(redirects), redirectLines);
  await readSiteFile(arriving(headers), headerLines);
  const rules: SiteRules = { redirects: new RedirectIndex(redirectLines.redirects), headers: headerLines.rules };
  return { rules, warnings: [...redirectLines.warnings.all, ...headerLines.warnings.all] };
}

export function manifestOf(paths: readonly string[]): Manifest {
  const files = paths.map((path) => ({ path, sha256: hash('sha256', path), size: path.length }));
  const { digest, text } = encodeManifest(files);
  return decodeManifest(digest, text);
}

async function* arriving(content: string | Buffer) {
  yield Buffer.from(content as string);
}
