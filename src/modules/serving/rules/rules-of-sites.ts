import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { HeadersFile } from '../../../content/sitefiles/headers-file.js';
import { readSiteFile } from '../../../content/sitefiles/read-site-file.js';
import { RedirectIndex } from '../../../content/sitefiles/redirect-index.js';
import { RedirectsFile } from '../../../content/sitefiles/redirects-file.js';
import { HEADERS, MAX_READ_BYTES, REDIRECTS } from '../../../content/sitefiles/site-file-limits.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import type { Manifest, ManifestFile } from '../../../storage/blobs/manifest.js';
import { NO_RULES, type SiteRules } from './site-rules.js';

/**
 * Total size of the `_redirects` and `_headers` files whose rules are cached, in bytes. Parsed rules take up to forty
 * times as much memory.
 */
const CAPACITY = 4 * 1024 * 1024;

/** Caches the rules of recently visited sites. Manifests with the same `_redirects` and `_headers` share an entry. */
@Injectable()
export class RulesOfSites {
  readonly #kept = new LRUCache<string, Promise<SiteRules>>({ maxSize: CAPACITY });

  constructor(private readonly blobs: BlobStore) {}

  /**
   * Returns the rules of a site. If the site has no rules, which is the usual case, the result is not a promise.
   * Rejects with the same errors as `BlobStore`.
   */
  of({ files }: Manifest): SiteRules | Promise<SiteRules> {
    const redirects = files.get(REDIRECTS);
    const headers = files.get(HEADERS);
    if (!redirects && !headers) return NO_RULES;

    const key = `${redirects?.sha256} ${headers?.sha256}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const rules = this.#read(redirects, headers);
    this.#kept.set(key, rules, { size: bytesRead(redirects) + bytesRead(headers) + 1 });
    // Don't cache a failure. This caller gets the error, and the next call reads the files again.
    rules.catch(() => this.#kept.peek(key) === rules && this.#kept.delete(key));
    return rules;
  }

  async #read(redirects: ManifestFile | undefined, headers: ManifestFile | undefined): Promise<SiteRules> {
    const [redirectLines, headerLines] = [new RedirectsFile(), new HeadersFile()];
    if (redirects) await readSiteFile(this.blobs.stream(redirects.sha256), redirectLines);
    if (headers) await readSiteFile(this.blobs.stream(headers.sha256), headerLines);
    return { redirects: new RedirectIndex(redirectLines.redirects), headers: headerLines.rules };
  }
}

const bytesRead = (file: ManifestFile | undefined) => Math.min(file?.size ?? 0, MAX_READ_BYTES);
