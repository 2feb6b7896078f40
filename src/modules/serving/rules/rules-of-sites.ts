import { Inject, Injectable } from '@nestjs/common';
import { BlobStore } from '../../../blobs/blob-store.js';
import type { Manifest, ManifestFile } from '../../../blobs/manifest.js';
import { HeadersFile } from '../../../sitefiles/headers-file.js';
import { readSiteFile } from '../../../sitefiles/read-site-file.js';
import { RedirectIndex } from '../../../sitefiles/redirect-index.js';
import { RedirectsFile } from '../../../sitefiles/redirects-file.js';
import { HEADERS, READ_UP_TO, REDIRECTS } from '../../../sitefiles/site-file-limits.js';
import { NO_RULES, type SiteRules } from './site-rules.js';

/** Bytes of files whose rules are kept; in memory the worst of them take forty times as much. */
const CAPACITY = 4 * 1024 * 1024;

type CachedRules = { readonly rules: Promise<SiteRules>; readonly bytes: number };

/** Rules of sites that are asked for, read once; the most recently used stay. Manifests with the same two files share them. */
@Injectable()
export class RulesOfSites {
  readonly #kept = new Map<string, CachedRules>();
  #bytes = 0;

  constructor(@Inject(BlobStore) private readonly blobs: BlobStore) {}

  /** At once for a site that has none, as most have. */
  of({ files }: Manifest): SiteRules | Promise<SiteRules> {
    const redirects = files.get(REDIRECTS);
    const headers = files.get(HEADERS);
    if (!redirects && !headers) return NO_RULES;

    const key = `${redirects?.sha256} ${headers?.sha256}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.rules;
    }
    return this.#keep(key, bytesRead(redirects) + bytesRead(headers), this.#read(redirects, headers));
  }

  #keep(key: string, bytes: number, rules: Promise<SiteRules>): Promise<SiteRules> {
    this.#kept.set(key, { rules, bytes });
    this.#bytes += bytes;
    for (const old of this.#kept.keys()) {
      if (this.#bytes <= CAPACITY) break;
      this.#drop(old);
    }
    // Whoever asked is told; the next one tries again.
    rules.catch(() => this.#kept.get(key)?.rules === rules && this.#drop(key));
    return rules;
  }

  #drop(key: string) {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  async #read(redirects: ManifestFile | undefined, headers: ManifestFile | undefined): Promise<SiteRules> {
    const [redirectLines, headerLines] = [new RedirectsFile(), new HeadersFile()];
    if (redirects) await readSiteFile(this.blobs.stream(redirects.sha256), redirectLines);
    if (headers) await readSiteFile(this.blobs.stream(headers.sha256), headerLines);
    return { redirects: new RedirectIndex(redirectLines.redirects), headers: headerLines.rules };
  }
}

const bytesRead = (file: ManifestFile | undefined) => Math.min(file?.size ?? 0, READ_UP_TO);
