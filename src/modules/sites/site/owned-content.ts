import { Injectable } from '@nestjs/common';
import { siteStream } from '../../../events/site/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { addWork } from '../../../kernel/work-done.js';
import { BlobCorruptError, BlobMissingError, BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest } from '../../../storage/blobs/manifest.js';
import type { KnownDeploy } from './state/deploys.state.js';
import { site } from './state/site.state.js';

/** Number of deploys read by `inLatest`. */
const LATEST = 20;

const isFiles = ({ program }: KnownDeploy) => program === null;

/** Finds content that a site has already published, so that it need not be uploaded again. */
@Injectable()
export class OwnedContent {
  constructor(
    private readonly transactions: Transactions,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Returns which of the digests (64 hexadecimal digits, lower case) are in a deploy of this site and still stored,
   * with their sizes in bytes. The collector keeps them for another 24 hours. Check first whether the caller can edit
   * the site.
   *
   * The manifests are read before the store is queried, and the store is queried only for digests that they contain:
   * neither the result nor the time it takes reveals whether another site has some content. The cost of reading them is
   * charged to `request`.
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

  /** Returns the digests that are in one of the latest deploys. Older deploys are not read, to limit the cost. */
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

  /** Returns each manifest once, newest deploy first. Reads the log, which is up to date in every process. */
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

  /** Returns the digests that a manifest contains. If the manifest can't be read, returns none. */
  async #namedBy(manifest: string, request: object): Promise<readonly string[]> {
    try {
      const text = await this.blobs.read(manifest);
      addWork(request, text.length);
      const { files } = decodeManifest(manifest, text);
      return [...files.values()].map(({ sha256 }) => sha256);
    } catch (error) {
      if (error instanceof BlobMissingError || error instanceof BlobCorruptError) return [];
      throw error;
    }
  }
}
