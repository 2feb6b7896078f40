import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PacksUnderTest } from '../../../../test/support/content/packs.js';
import { ContentCache } from './content-cache.js';

describe('ContentCache', () => {
  let packs: PacksUnderTest;
  beforeAll(async () => {
    packs = await PacksUnderTest.open();
  });
  afterAll(() => packs.close());

  it('gives each site its own compression budget, and sends content uncompressed beyond it', async () => {
    const blobs = await packs.store();
    const intake = blobs.begin();
    const half = Buffer.alloc(40 * 1_048_576, 'otter ');
    const [first, second] = [await intake.add(half), await intake.add(Buffer.concat([half, Buffer.from('.')]))];
    await intake.seal();
    const cache = new ContentCache(blobs);
    const encoded = (site: string, file: { sha256: string; size: number }) =>
      cache.encoded({ path: 'a.txt', ...file }, 'zstd', site);

    expect((await encoded('site_a', first))?.coding).toBe('zstd');
    expect(await encoded('site_a', second)).toBeNull();
    expect((await encoded('site_a', first))?.coding).toBe('zstd');
    expect((await encoded('site_b', second))?.coding).toBe('zstd');
    expect((await encoded('site_a', second))?.coding).toBe('zstd');
  }, 30_000);
});
