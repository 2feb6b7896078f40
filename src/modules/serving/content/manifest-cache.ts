import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../storage/blobs/manifest.js';
import { SharedWork } from './shared-work.js';

/** Estimated memory in bytes for each file of a manifest, not counting the text of its line. */
const OF_FILE = 200;

export class ManifestCache {
  readonly #manifests: LRUCache<string, Manifest>;
  readonly #loading = new SharedWork<Manifest>();

  constructor(
    private readonly blobs: Pick<BlobStore, 'read'>,
    private readonly capacity: number,
  ) {
    this.#manifests = new LRUCache({ maxSize: capacity });
  }

  /** Returns the manifest with this digest. Rejects with the same errors as `BlobStore`. A failure is not cached. */
  async get(digest: string): Promise<Manifest> {
    return this.#manifests.get(digest) ?? this.#loading.of(digest, () => this.#load(digest));
  }

  async #load(digest: string): Promise<Manifest> {
    const text = await this.blobs.read(digest);
    const manifest = decodeManifest(digest, text);
    const bytes = text.length + manifest.files.size * OF_FILE + 1;
    // `lru-cache` does not store values larger than its capacity. Cap the reported size, so that a larger manifest is
    // stored too and fills the whole cache.
    this.#manifests.set(digest, manifest, { size: Math.min(bytes, this.capacity) });
    return manifest;
  }
}
