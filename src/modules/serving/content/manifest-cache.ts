import { Inject, Injectable } from '@nestjs/common';
import { BlobStore } from '../../../blobs/blob-store.js';
import { decodeManifest, type Manifest } from '../../../blobs/manifest.js';
import { heardElsewhere } from '../../../kernel/ignored-fault.js';

/** Files counted over all manifests kept in memory; about 300 bytes each. */
const CAPACITY = 200_000;

/** Manifests of sites that are asked for, the most recently used first to stay. A manifest never changes. */
@Injectable()
export class ManifestCache {
  readonly #kept = new Map<string, Promise<Manifest>>();
  #files = 0;

  constructor(@Inject(BlobStore) private readonly blobs: BlobStore) {}

  get(digest: string): Promise<Manifest> {
    const kept = this.#kept.get(digest);
    if (kept) {
      this.#kept.delete(digest);
      this.#kept.set(digest, kept);
      return kept;
    }
    const loading = this.#load(digest);
    this.#kept.set(digest, loading);
    return loading;
  }

  async #load(digest: string): Promise<Manifest> {
    try {
      const manifest = decodeManifest(digest, await this.blobs.read(digest));
      this.#files += manifest.files.size;
      this.#makeRoom(digest);
      return manifest;
    } catch (error) {
      this.#kept.delete(digest);
      throw error;
    }
  }

  #makeRoom(except: string) {
    for (const [digest, loading] of this.#kept) {
      if (this.#files <= CAPACITY) return;
      if (digest === except) continue;
      this.#kept.delete(digest);
      loading.then(({ files }) => (this.#files -= files.size)).catch(heardElsewhere);
    }
  }
}
