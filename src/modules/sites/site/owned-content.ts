import { Inject, Injectable } from '@nestjs/common';
import { siteStream } from '../../../events/site/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { addWork } from '../../../kernel/work-done.js';
import { BlobCorrupt, BlobMissing, BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest } from '../../../storage/blobs/manifest.js';
import type { KnownDeploy } from './deploys.state.js';
import { site } from './site.state.js';

/** Deploys that `inLatest` looks at. */
const LATEST = 20;

const isFiles = ({ program }: KnownDeploy) => program === null;

/**
 * Tells which content a site has already published: a caller who may edit the site may publish it again without sending
 * it.
 */
@Injectable()
export class OwnedContent {
  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(BlobStore) private readonly blobs: BlobStore,
  ) {}

  /**
   * Which of these digests (64 hexadecimal digits, lower case) are in a deploy of this site and still stored, with
   * their sizes in bytes. They are safe from the collector for another 24 hours. Whether the caller may edit the site
   * is to be asked first.
   *
   * The manifests are looked at before the store is asked, and the store is asked only for what they name: neither
   * the answer nor the time it takes tells whether any other site has a content. Reading them is work that was done for
   * `request`.
   */
  async of(siteId: string, digests: Iterable<string>, request: object): Promise<ReadonlyMap<string, number>> {
    const wanted = new Set(digests);
    const named: string[] = [];
    for (const manifest of await this.#manifests(siteId)) {
      if (wanted.size === 0) break;
      for (const sha256 of await this.#namedBy(manifest, request)) {
        if (wanted.delete(sha256)) named.push(sha256);
      }
    }
    return this.blobs.touch(named);
  }

  /**
   * Which of these digests are in one of the latest deploys of the site; earlier ones are not looked at, so that the cost
   * does not grow with the number of deploys.
   */
  async inLatest(siteId: string, digests: Iterable<string>): Promise<readonly string[]> {
    const wanted = new Set(digests);
    const found: string[] = [];
    const latest = [...(await this.#manifests(siteId))].slice(0, LATEST);
    for (const manifest of latest) {
      if (wanted.size === 0) break;
      for (const sha256 of await this.#namedBy(manifest, {})) if (wanted.delete(sha256)) found.push(sha256);
    }
    return found;
  }

  /** Each once, the newest deploy’s first, from the log itself: right at once, on every process. */
  async #manifests(siteId: string): Promise<Iterable<string>> {
    const { state } = await this.transactions.state(siteStream(siteId), site);
    return state.status === 'live'
      ? new Set(
          state.deploys
            .filter(isFiles)
            .map(({ manifest }) => manifest)
            .reverse(),
        )
      : [];
  }

  /** A manifest that cannot be read proves nothing. */
  async #namedBy(manifest: string, request: object): Promise<readonly string[]> {
    try {
      const text = await this.blobs.read(manifest);
      addWork(request, text.length);
      const { files } = decodeManifest(manifest, text);
      return [...files.values()].map(({ sha256 }) => sha256);
    } catch (error) {
      if (error instanceof BlobMissing || error instanceof BlobCorrupt) return [];
      throw error;
    }
  }
}
