import { describe, expect, it } from '@jest/globals';
import { BlobMissingError } from '../../../storage/blobs/blob-store.js';
import { encodeManifest } from '../../../storage/blobs/manifest.js';
import { ManifestCache } from './manifest-cache.js';

/** Cache capacity that is sufficient for one manifest of twenty files with names as short as in these tests. */
const ROOM = 20 * 280;

class StoredManifests {
  readonly #texts = new Map<string, Buffer>();
  readonly reads: string[] = [];

  store(name: string, count = 1): string {
    const files = Array.from({ length: count }, (_, n) => ({
      path: `${name}-${n}.html`,
      sha256: 'a'.repeat(64),
      size: 1,
    }));
    const { digest, text } = encodeManifest(files);
    this.#texts.set(digest, text);
    return digest;
  }

  async read(digest: string): Promise<Buffer> {
    this.reads.push(digest);
    await new Promise(setImmediate);
    const text = this.#texts.get(digest);
    if (!text) throw new BlobMissingError(digest);
    return text;
  }
}

describe('ManifestCache', () => {
  it('reads a manifest once for simultaneous calls', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const digest = stored.store('a', 3);
    const [one, two] = await Promise.all([cache.get(digest), cache.get(digest)]);
    expect([one.files.size, two, await cache.get(digest)]).toEqual([3, one, one]);
    expect(stored.reads).toEqual([digest]);
  });

  it('reads a manifest again after a failed read', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const digest = new StoredManifests().store('a');
    await expect(cache.get(digest)).rejects.toThrow(BlobMissingError);
    expect(stored.store('a')).toBe(digest);
    expect((await cache.get(digest)).files.size).toBe(1);
  });

  it('evicts the least recently used manifest first when it is full', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const [a, b, c] = [stored.store('a', 8), stored.store('b', 8), stored.store('c', 8)];
    for (const digest of [a, b, a, c]) await cache.get(digest);
    stored.reads.length = 0;
    for (const digest of [a, c, b]) await cache.get(digest);
    expect(stored.reads).toEqual([b]);
  });

  it('measures the size of a manifest by the length of its paths', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const [long, other] = [stored.store('a'.repeat(ROOM - 500)), stored.store('b', 2)];
    for (const digest of [long, other, long]) await cache.get(digest);
    expect(stored.reads).toEqual([long, other, long]);
  });

  it('caches a manifest even if it is larger than the capacity', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const [small, huge] = [stored.store('a'), stored.store('b', 21)];
    for (const digest of [small, huge, huge, small]) await cache.get(digest);
    expect(stored.reads).toEqual([small, huge, small]);
  });
});
