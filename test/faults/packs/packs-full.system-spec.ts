// needs: database

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StorageFullError } from '../../../src/kernel/faults/storage-full.js';
import type { DiskPacks } from '../../../src/storage/blobs/disk.engine.js';
import { deploy, naming, PacksUnderTest } from '../../support/content/packs.js';
import { canSetUpDisks, SmallDisk } from '../../support/faults/small-disk.js';

const mebibyte = 1024 * 1024;

// Only root can mount the small disk that the tests fill.
const asRoot = canSetUpDisks ? describe : describe.skip;

asRoot('A full disk', () => {
  let packs: PacksUnderTest;
  let folder: string;
  let disk: SmallDisk;
  let store: DiskPacks;

  beforeEach(async () => {
    packs = await PacksUnderTest.open();
    folder = join(packs.folder, 'small-disk');
    disk = await SmallDisk.on(folder, 4 * mebibyte);
    store = await packs.store({}, folder);
  });
  afterEach(async () => {
    await store.stop();
    disk.remove();
    await packs.close();
  });

  async function* film(bytes: number) {
    for (let left = bytes; left > 0; left -= 65_536) yield randomBytes(65_536);
  }

  const manyFiles = () => Array.from({ length: 60 }, () => randomBytes(100_000));

  it.each([
    ['of many files', () => manyFiles()],
    ['of one large file', () => [film(6 * mebibyte)]],
    ['of small files and a large one', () => [...manyFiles().slice(0, 10), film(6 * mebibyte)]],
  ])('a deploy %s that does not fit on the disk is refused, and its space is freed', async (_, contents) => {
    const [before] = await deploy(store, randomBytes(100_000));
    const used = await packs.bytes(folder);

    await expect(deploy(store, ...contents())).rejects.toThrow(StorageFullError);

    expect(await packs.bytes(folder)).toBe(used);
    expect(await store.read(before!)).toHaveLength(100_000);
    const fits = randomBytes(2 * mebibyte);
    const [after] = await deploy(store, fits);
    expect((await store.read(after!)).equals(fits)).toBe(true);
  });

  it('deploys are refused while the disk is full, and live content is still served', async () => {
    const [before] = await deploy(store, randomBytes(300_000));
    const makeRoom = await disk.fill();
    const refused = await Promise.allSettled(Array.from({ length: 10 }, () => deploy(store, randomBytes(50_000))));
    for (const outcome of refused)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StorageFullError' } });
    expect(await store.read(before!)).toHaveLength(300_000);

    await makeRoom();
    const content = randomBytes(50_000);
    const [after] = await deploy(store, content);
    expect((await store.read(after!)).equals(content)).toBe(true);

    const rows = await packs.rows();
    await packs.loseIndex();
    await store.rebuildIndex();
    expect(await packs.rows()).toEqual(rows);
  });

  it('the collector can free space even on a full disk', async () => {
    const [kept] = await deploy(store, randomBytes(500_000), randomBytes(1_500_000));
    packs.pass(26);
    await store.collect(naming(kept!));
    packs.pass(26);
    const [lives] = await deploy(store, randomBytes(10_000), randomBytes(20_000));
    await disk.fill();
    expect((await store.collect(naming(kept!, lives!))).freed).toBeGreaterThan(2_000_000);
    packs.pass(26);
    await disk.fill();
    expect(await store.collect(naming(kept!, lives!))).toMatchObject({ blobs: 1, moved: 0 });
    expect(await store.read(kept!)).toHaveLength(500_000);
    expect(await store.read(lives!)).toHaveLength(10_000);
  });
});
