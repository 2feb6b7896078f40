import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../../../storage/blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../storage/blobs/manifest.js';
import { SharedWork } from './shared-work.js';

/** What a file takes of memory besides its line of the manifest: a guess, in bytes. */
const OF_FILE = 200;

/** Manifests that were used lately. A manifest never changes. */
export class ManifestCache {
  readonly #manifests: LRUCache<string, Manifest>;
  readonly #loading = new SharedWork<Manifest>();

  constructor(
    private readonly blobs: Pick<BlobStore, 'read'>,
    /** What all manifests kept take of memory, in bytes. */
    private readonly capacity: number,
  ) {
    this.#manifests = new LRUCache({ maxSize: capacity });
  }

  /** Rejects as `BlobStore` does where the manifest cannot be read; the next call tries again. */
  async get(digest: string): Promise<Manifest> {
    return this.#manifests.get(digest) ?? this.#loading.of(digest, () => this.#load(digest));
  }

  async #load(digest: string): Promise<Manifest> {
    const text = await this.blobs.read(digest);
    const manifest = decodeManifest(digest, text);
    const bytes = text.length + manifest.files.size * OF_FILE + 1;
    // One that is larger than all the room has it for itself.
    this.#manifests.set(digest, manifest, { size: Math.min(bytes, this.capacity) });
    return manifest;
  }
}
