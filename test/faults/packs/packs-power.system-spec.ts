// needs: database

import { randomBytes, randomInt } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PackedBlobs } from '../../../src/storage/blobs/packed-blobs.js';
import { PackFile } from '../../../src/storage/blobs/packs/pack-file.js';
import { PackFolder } from '../../../src/storage/blobs/packs/pack-folder.js';
import { deploy, naming, PacksUnderTest } from '../../support/content/packs.js';

jest.setTimeout(120_000);

/** A pack on a disk with a write cache: a power failure loses unsynced data, and a sync can be made to fail. */
class PackOnACachingDisk extends PackFile {
  #durable = 0;
  #syncFailed = false;

  constructor(
    id: string,
    file: FileHandle,
    private readonly disk: CachingDisk,
  ) {
    super(id, file);
  }

  override get broken() {
    return this.#syncFailed || super.broken;
  }
  override patch(at: number, bytes: Uint8Array) {
    if (at < this.#durable) throw new Error('What was synced is not written again.');
    return super.patch(at, bytes);
  }
  override async truncate(length: number) {
    await super.truncate(length);
    this.#durable = Math.min(this.#durable, length);
  }
  override async sync() {
    const covered = this.length;
    if (this.disk.syncFails) {
      this.#syncFailed = true;
      throw Object.assign(new Error('input/output error'), { code: 'EIO' });
    }
    await super.sync();
    this.#durable = covered;
  }

  async cutPower() {
    if (this.length === 0) return;
    const file = await open(join(this.disk.path, `${this.id}.pack`), 'r+');
    await file.truncate(this.#durable);
    await file.close();
  }
}

class CachingDisk extends PackFolder {
  readonly #packs: PackOnACachingDisk[] = [];
  syncFails = false;

  override async create(id: string) {
    const created = await super.create(id);
    await created.close();
    const pack = new PackOnACachingDisk(id, await open(join(this.path, `${id}.pack`), 'r+'), this);
    this.#packs.push(pack);
    return pack;
  }

  async cutPower() {
    for (const pack of this.#packs) await pack.cutPower();
  }
}

describe('A disk that loses unsynced writes', () => {
  let packs: PacksUnderTest;
  let disk: CachingDisk;
  let store: PackedBlobs;

  beforeEach(async () => {
    packs = await PacksUnderTest.open();
    disk = new CachingDisk(packs.folder);
    store = new PackedBlobs(disk, packs.pool, { intakeBytes: 200_000, now: packs.now });
    await store.start();
  });
  afterEach(async () => {
    await store.stop();
    await packs.close();
  });

  it('acknowledged content of any size survives a power failure', async () => {
    const digests = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        deploy(store, ...Array.from({ length: 6 }, () => randomBytes(i % 5 === 0 ? 1_100_000 : randomInt(1, 60_000)))),
      ),
    );
    const unfinished = store.begin();
    await unfinished.add(randomBytes(2_000_000));
    await disk.cutPower();

    const after = await packs.store();
    for (const sha256 of digests.flat()) expect(await after.read(sha256)).toBeDefined();
    const rows = await packs.rows();
    await packs.loseIndex();
    await after.rebuildIndex();
    expect(await packs.rows()).toEqual(rows);
    await unfinished.abandon();
  });

  it('content that was moved to another pack survives a power failure', async () => {
    const content = randomBytes(10_000);
    const [kept] = await deploy(store, content, randomBytes(100_000));
    packs.pass(26);
    expect((await store.collect(naming(kept!))).moved).toBe(10_000);
    await disk.cutPower();
    expect((await (await packs.store()).read(kept!)).equals(content)).toBe(true);
  });

  it('a deploy is refused if its sync fails, and later deploys use another pack', async () => {
    const [before] = await deploy(store, randomBytes(1_000));
    disk.syncFails = true;
    const small = randomBytes(2_000);
    await expect(deploy(store, small)).rejects.toThrow('input/output error');
    await expect(deploy(store, randomBytes(300_000), randomBytes(1_500_000))).rejects.toThrow('input/output error');
    disk.syncFails = false;

    const [again] = await deploy(store, small);
    await disk.cutPower();
    const after = await packs.store();
    expect(await after.read(before!)).toHaveLength(1_000);
    expect((await after.read(again!)).equals(small)).toBe(true);
    expect(await packs.packs()).toHaveLength(2);
  });
});
