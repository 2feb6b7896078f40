import { Injectable } from '@nestjs/common';
import { siteStream } from '../../../events/site/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { addWork } from '../../../kernel/work-done.js';
import { BlobCorruptError, BlobMissingError, BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest } from '../../../storage/blobs/manifest.js';
import type { KnownDeploy } from './deploys.state.js';
import { site } from './site.state.js';

/** Number of deploys that `inLatest` reads. */
const LATEST = 20;

const isFiles = ({ program }: KnownDeploy) => program === null;

/**
 * Finds content that a site has already published. A caller who may edit the site may publish it again without sending
 * it.
 */
@Injectable()
export class OwnedContent {
  constructor(
    private readonly transactions: Transactions,
    private readonly blobs: BlobStore,
  ) {}

  /**
   * Returns those of the digests (64 hexadecimal digits, lower case) that are in a deploy of this site and still
   * stored, with their sizes in bytes. The collector keeps them for another 24 hours. Check first whether the caller
   * may edit the site.
   *
   * The manifests are read before the store is queried, and the store is queried only for what they name: neither the
   * result nor the time it takes reveals whether any other site has a content. The work of reading them is charged to
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
   * Returns those of the digests that are in one of the latest deploys of the site. Earlier ones are not read, so that
   * the cost does not grow with the number of deploys.
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

  /** Returns each manifest once, newest deploy first, from the log itself, which is up to date on every process. */
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
      if (error instanceof BlobMissingError || error instanceof BlobCorruptError) return [];
      throw error;
    }
  }
}
