import { describe, expect, it } from '@jest/globals';
import { BlobMissing } from '../../../storage/blobs/blob-store.js';
import { encodeManifest } from '../../../storage/blobs/manifest.js';
import { ManifestCache } from './manifest-cache.js';

/** For twenty files with names as short as these. */
const ROOM = 20 * 280;

/** Stored manifests, and how often each was read. */
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
    if (!text) throw new BlobMissing(digest);
    return text;
  }
}

describe('Manifests in memory', () => {
  it('are read once, also by those who ask at the same time', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const digest = stored.store('a', 3);
    const [one, two] = await Promise.all([cache.get(digest), cache.get(digest)]);
    expect([one.files.size, two, await cache.get(digest)]).toEqual([3, one, one]);
    expect(stored.reads).toEqual([digest]);
  });

  it('that could not be read are read again when they are next asked for', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const digest = new StoredManifests().store('a');
    await expect(cache.get(digest)).rejects.toThrow(BlobMissing);
    expect(stored.store('a')).toBe(digest);
    expect((await cache.get(digest)).files.size).toBe(1);
  });

  it('go when there is no more room, the one that was not used for longest first', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const [a, b, c] = [stored.store('a', 8), stored.store('b', 8), stored.store('c', 8)];
    for (const digest of [a, b, a, c]) await cache.get(digest);
    stored.reads.length = 0;
    for (const digest of [a, c, b]) await cache.get(digest);
    expect(stored.reads).toEqual([b]);
  });

  it('take as much room as their paths are long', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const [long, other] = [stored.store('a'.repeat(ROOM - 500)), stored.store('b', 2)];
    for (const digest of [long, other, long]) await cache.get(digest);
    expect(stored.reads).toEqual([long, other, long]);
  });

  it('stay even when one alone has more files than there is room for', async () => {
    const stored = new StoredManifests();
    const cache = new ManifestCache(stored, ROOM);
    const [small, huge] = [stored.store('a'), stored.store('b', 21)];
    for (const digest of [small, huge, huge, small]) await cache.get(digest);
    expect(stored.reads).toEqual([small, huge, small]);
  });
});
