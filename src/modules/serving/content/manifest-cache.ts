import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../../../blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../blobs/manifest.js';
import { SharedWork } from './shared-work.js';

/** Manifests that were used lately. A manifest never changes. */
export class ManifestCache {
  readonly #manifests: LRUCache<string, Manifest>;
  readonly #loading = new SharedWork<Manifest>();

  constructor(
    private readonly blobs: Pick<BlobStore, 'read'>,
    /** Files, counted over all manifests kept; each takes about 300 bytes of memory. */
    capacity: number,
  ) {
    this.#manifests = new LRUCache({
      maxSize: capacity,
      // A manifest that is larger than all the room has it for itself.
      sizeCalculation: ({ files }) => Math.min(files.size + 1, capacity),
    });
  }

  /** Rejects as `BlobStore` does where the manifest cannot be read; the next call tries again. */
  async get(digest: string): Promise<Manifest> {
    return this.#manifests.get(digest) ?? this.#loading.of(digest, () => this.#load(digest));
  }

  async #load(digest: string): Promise<Manifest> {
    const manifest = decodeManifest(digest, await this.blobs.read(digest));
    this.#manifests.set(digest, manifest);
    return manifest;
  }
}
