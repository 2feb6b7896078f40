import { randomBytes, randomUUID } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BlobCorruptError } from '../../src/storage/blobs/blob-store.js';
import { BlobIndex } from '../../src/storage/blobs/index/blob-index.js';
import { headerBytes } from '../../src/storage/blobs/packs/pack.format.js';
import { PackFolder } from '../../src/storage/blobs/packs/pack-folder.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { deploy, naming, PacksUnderTest } from '../support/content/packs.js';

jest.setTimeout(120_000);

blobStoreContract('Packs on disk', async () => {
  const packs = await PacksUnderTest.open();
  return {
    store: await packs.store(),
    pass: (hours) => packs.pass(hours),
    stored: () => packs.bytes(),
    close: () => packs.close(),
  };
});

const mebibyte = 1024 * 1024;

describe('Packs, the files in which content is stored on disk', () => {
  let packs: PacksUnderTest;

  beforeEach(async () => {
    packs = await PacksUnderTest.open();
  });
  afterEach(() => packs.close());

  const placeOf = async (sha256: string) => {
    const row = (await packs.rows()).find((text) => text.startsWith(sha256));
    const [, pack, start, length] = row!.split(' ');
    return { file: join(packs.folder, `${pack}.pack`), start: Number(start), length: Number(length) };
  };

  /** Flips one byte of a record. `at` is the byte's offset from the start of the record's header. */
  const flip = async (sha256: string, at: number) => {
    const { file, start } = await placeOf(sha256);
    const handle = await open(file, 'r+');
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, start + at);
    await handle.write(Buffer.from([byte[0]! ^ 0x01]), 0, 1, start + at);
    await handle.close();
  };

  const stream = async (store: Awaited<ReturnType<PacksUnderTest['store']>>, sha256: string) => {
    let bytes = 0;
    try {
      for await (const piece of store.stream(sha256)) bytes += piece.length;
      return { bytes, reason: undefined };
    } catch (reason) {
      return { bytes, reason };
    }
  };

  describe('writing packs', () => {
    it('consecutive and concurrent deploys share a pack', async () => {
      const store = await packs.store();
      await deploy(store, randomBytes(1_000));
      await Promise.all(Array.from({ length: 30 }, () => deploy(store, randomBytes(1_000))));
      await deploy(store, randomBytes(3 * mebibyte));
      await deploy(store, randomBytes(1_000));
      expect(await packs.packs()).toHaveLength(1);
    });

    it('a new pack is started when the current one is full', async () => {
      const store = await packs.store({ packBytes: 50_000 });
      const digests: string[] = [];
      for (let i = 0; i < 10; i++) digests.push(...(await deploy(store, randomBytes(20_000))));
      expect(await packs.packs()).toHaveLength(4);
      for (const sha256 of digests) expect(await store.read(sha256)).toHaveLength(20_000);
    });

    it('a pack without any completely stored content is removed when its process stops', async () => {
      const store = await packs.store();
      const intake = store.begin();
      await intake.add(randomBytes(2 * mebibyte));
      expect(await packs.packs()).toHaveLength(1);
      await intake.abandon();
      await store.stop();
      expect(await packs.packs()).toEqual([]);
      expect((await packs.pool.query('select from packs')).rowCount).toBe(0);
    });

    it('concurrent deploys that together exceed the memory limit are stored correctly', async () => {
      const store = await packs.store({ memoryBytes: 100_000 });
      const digests = await Promise.all(
        Array.from({ length: 12 }, () => deploy(store, ...Array.from({ length: 5 }, () => randomBytes(20_000)))),
      );
      for (const sha256 of digests.flat()) expect(await store.read(sha256)).toHaveLength(20_000);

      // The intakes above no longer occupy memory, so the store buffers new content instead of writing it to a file.
      const before = await packs.bytes();
      const intake = store.begin();
      await intake.add(randomBytes(20_000));
      expect(await packs.bytes()).toBe(before);
      await intake.abandon();
    });

    it('a pack can’t be written to after a failed sync', async () => {
      const folder = new PackFolder(packs.folder);
      const pack = await folder.create(randomUUID());
      await pack.append([Buffer.from('written')]);
      await pack.close();
      await expect(pack.sync()).rejects.toThrow();
      expect(pack.broken).toBe(true);
      await expect(pack.append([Buffer.from('more')])).rejects.toThrow('broken');
      await expect(pack.sync()).rejects.toThrow('broken');
    });
  });

  describe('damaged packs', () => {
    it('a damaged byte is reported as corruption, and a stream of the content never completes', async () => {
      const store = await packs.store();
      const [small, large] = await deploy(store, randomBytes(5_000), randomBytes(2 * mebibyte));
      await flip(small!, headerBytes + 4_999);
      await flip(large!, headerBytes + 700_000);

      await expect(store.read(small!)).rejects.toThrow(BlobCorruptError);
      await expect(store.read(large!)).rejects.toThrow(BlobCorruptError);
      expect(await stream(store, small!)).toEqual({ bytes: 0, reason: new BlobCorruptError(small!) });
      const { bytes, reason } = await stream(store, large!);
      expect(reason).toEqual(new BlobCorruptError(large!));
      expect(bytes).toBeLessThan(2 * mebibyte);
    });

    it.each([
      ['the magic number', 0],
      ['the length', 15],
      ['the digest', 20],
      ['the checksum', 51],
    ])('damage to the header of stored content is reported as corruption: %s', async (_, at) => {
      const store = await packs.store();
      const [sha256] = await deploy(store, randomBytes(5_000));
      await flip(sha256!, at);
      await expect(store.read(sha256!)).rejects.toThrow(BlobCorruptError);
      await expect(store.stream(sha256!, { first: 1, last: 2 }).next()).rejects.toThrow(BlobCorruptError);
    });

    it('damaged content is repaired by the next deploy that contains it', async () => {
      const store = await packs.store();
      const content = randomBytes(5_000);
      const [sha256] = await deploy(store, content, randomBytes(100));
      await flip(sha256!, headerBytes);
      await expect(store.read(sha256!)).rejects.toThrow(BlobCorruptError);
      expect(await store.touch([sha256!])).toEqual(new Map());

      await deploy(store, content);
      const other = await packs.store();
      for (const reader of [store, other]) expect((await reader.read(sha256!)).equals(content)).toBe(true);
      expect((await store.touch([sha256!])).get(sha256!)).toBe(5_000);
    });

    it('damaged content is not moved to another pack, and its pack is kept', async () => {
      const store = await packs.store();
      const [hurt, sound] = await deploy(store, randomBytes(5_000), randomBytes(6_000), randomBytes(90_000));
      await flip(hurt!, headerBytes);
      for (let days = 0; days < 3; days++) {
        packs.pass(26);
        await store.collect(naming(hurt!, sound!));
      }
      expect(await store.read(sound!)).toHaveLength(6_000);
      await expect(store.read(hurt!)).rejects.toThrow(BlobCorruptError);
      expect((await placeOf(hurt!)).file).not.toBe((await placeOf(sound!)).file);
    });

    it('a lost pack is reported as corruption, not as a file system error', async () => {
      const store = await packs.store();
      const [sha256] = await deploy(store, randomBytes(5_000));
      await rm((await placeOf(sha256!)).file);
      const other = await packs.store();
      await expect(other.read(sha256!)).rejects.toThrow(BlobCorruptError);
    });
  });

  describe('cached locations of content', () => {
    it('content that another process has moved is found even if its cached location is outdated', async () => {
      const here = await packs.store();
      const there = await packs.store();
      const content = randomBytes(80_000);
      const [sha256] = await deploy(here, content, randomBytes(400_000));
      expect((await there.read(sha256!)).equals(content)).toBe(true);
      const before = await placeOf(sha256!);

      for (let days = 0; days < 3; days++) {
        packs.pass(26);
        await here.collect(naming(sha256!));
      }
      expect((await placeOf(sha256!)).file).not.toBe(before.file);
      expect((await packs.packs()).some((name) => before.file.endsWith(name))).toBe(false);

      expect((await there.read(sha256!)).equals(content)).toBe(true);
      expect(await stream(there, sha256!)).toEqual({ bytes: 80_000, reason: undefined });
    });

    it('content that is stored again, even by another process, is not duplicated and keeps its location', async () => {
      const [here, there] = [await packs.store(), await packs.store()];
      const little = randomBytes(5_000);
      const much = randomBytes(100_000);
      const [ofLittle] = await deploy(here, little);
      await deploy(here, much);
      const stored = { rows: await packs.rows(), bytes: await packs.bytes() };

      await deploy(here, little);
      await deploy(there, much);
      await deploy(there, little, much);
      expect(await packs.bytes()).toBe(stored.bytes);

      await deploy(there, little);
      expect(await packs.rows()).toEqual(stored.rows);
      expect((await there.read(ofLittle!)).equals(little)).toBe(true);
    });

    it('the collector frees the space that duplicate content uses', async () => {
      const [here, there] = [await packs.store(), await packs.store()];
      const little = randomBytes(5_000);
      const [sha256] = await deploy(here, little);
      await deploy(there, little);
      const twice = await packs.bytes();
      await Promise.all([here.stop(), there.stop()]);
      const later = await packs.store();
      for (let days = 0; days < 3; days++) {
        packs.pass(26);
        await later.collect(naming(sha256!));
      }
      expect(await packs.bytes()).toBeLessThan(twice);
      expect((await later.read(sha256!)).equals(little)).toBe(true);
    });
  });

  describe('the collector of unused content', () => {
    it('the collector first moves content to a new pack, and removes the old pack a day later', async () => {
      const store = await packs.store();
      const [kept] = await deploy(store, randomBytes(10_000), randomBytes(200_000));
      packs.pass(26);
      expect(await store.collect(naming(kept!))).toEqual({ blobs: 1, moved: 10_000, freed: 0 });
      expect(await packs.packs()).toHaveLength(2);
      packs.pass(23);
      expect(await store.collect(naming(kept!))).toEqual({ blobs: 0, moved: 0, freed: 0 });
      packs.pass(2);
      expect(await store.collect(naming(kept!))).toEqual({ blobs: 0, moved: 0, freed: 210_000 + 2 * headerBytes });
      expect(await packs.packs()).toHaveLength(1);
    });

    it('the collector does not rewrite a pack if more than half of the pack is in use', async () => {
      const store = await packs.store();
      const [kept] = await deploy(store, randomBytes(20_000), randomBytes(19_000));
      packs.pass(26);
      expect(await store.collect(naming(kept!))).toEqual({ blobs: 1, moved: 0, freed: 0 });
    });

    it('the collector removes neither unknown files nor packs that are missing from the index', async () => {
      const store = await packs.store();
      const [sha256] = await deploy(store, randomBytes(1_000));
      await store.stop();
      await writeFile(join(packs.folder, 'README'), 'not a pack');
      await packs.loseIndex();
      const other = await packs.store();
      for (let days = 0; days < 3; days++) {
        packs.pass(26);
        await other.collect(naming());
      }
      expect(await packs.packs()).toHaveLength(2);
      await other.rebuildIndex();
      expect(await other.read(sha256!)).toHaveLength(1_000);
    });

    it('an empty pack of a stopped process is removed, whether or not its file exists', async () => {
      const store = await packs.store();
      const [begun, announced] = [randomUUID(), randomUUID()];
      for (const id of [begun, announced])
        await packs.pool.query('insert into packs (id, written) values ($1, now())', [id]);
      await writeFile(join(packs.folder, `${begun}.pack`), '');
      for (let days = 0; days < 2; days++) {
        packs.pass(26);
        await store.collect(naming());
      }
      expect(await packs.packs()).toEqual([]);
      expect((await packs.pool.query('select from packs')).rowCount).toBe(0);
    });

    it('when content is moved, only index rows that still point to the old location are updated', async () => {
      const store = await packs.store();
      const [sha256] = await deploy(store, randomBytes(5_000));
      const before = await packs.rows();
      const [, pack = ''] = before[0]!.split(' ');
      const index = new BlobIndex(packs.pool, packs.now);
      const was = { sha256: sha256!, pack, start: 52, length: 5_000 };
      await index.move(pack, [{ source: was, target: { ...was, start: 90 } }]);
      await index.move(randomUUID(), [{ source: { ...was, start: 0 }, target: { ...was, start: 90 } }]);
      expect(await packs.rows()).toEqual(before);
      await index.move(pack, [{ source: { ...was, start: 0 }, target: { ...was, start: 90 } }]);
      expect(await packs.rows()).not.toEqual(before);
    });

    it('a pack is removed if its process stopped before storing any content completely', async () => {
      const unfinished = (await packs.store()).begin();
      await unfinished.add(randomBytes(2 * mebibyte));
      expect(await packs.bytes()).toBeGreaterThan(mebibyte);
      const store = await packs.store();
      packs.pass(26);
      await store.collect(naming());
      packs.pass(26);
      expect((await store.collect(naming())).freed).toBeGreaterThan(mebibyte);
      expect(await packs.packs()).toEqual([]);
      await unfinished.abandon();
    });

    it('a pack that a process is still writing to is never removed, even after abandoned deploys', async () => {
      const store = await packs.store();
      const other = await packs.store();
      await deploy(store, randomBytes(1_000));
      for (let hours = 0; hours < 48; hours += 6) {
        packs.pass(6);
        const abandoned = store.begin();
        await abandoned.add(randomBytes(2 * mebibyte));
        await other.collect(naming());
        await abandoned.abandon();
        const [sha256] = await deploy(store, randomBytes(1_000));
        expect(await store.read(sha256!)).toHaveLength(1_000);
      }
      expect((await packs.packs()).length).toBeLessThan(6);
    });

    it('a deploy fails if the collector has retired the pack that contains its content', async () => {
      const store = await packs.store();
      const intake = store.begin();
      const { sha256 } = await intake.add(randomBytes(2 * mebibyte));
      packs.pass(26);
      await (await packs.store()).collect(naming());
      await expect(intake.seal()).rejects.toThrow('retired');
      expect(await store.touch([sha256])).toEqual(new Map());
    });
  });

  describe('rebuilding the content index from the packs', () => {
    it('the rebuilt index is identical to the lost index', async () => {
      const store = await packs.store({ packBytes: 2 * mebibyte });
      const digests: string[] = [];
      for (let i = 0; i < 8; i++)
        digests.push(...(await deploy(store, randomBytes(300_000), randomBytes(i), randomBytes(mebibyte + i))));
      const before = await packs.rows();
      await packs.loseIndex();
      expect(await store.rebuildIndex()).toEqual({ packs: (await packs.packs()).length, blobs: 24, damaged: 0 });
      expect(await packs.rows()).toEqual(before);
      for (const sha256 of digests) expect(await store.read(sha256)).toBeDefined();
    });

    it('rebuilding an index that was not lost changes nothing', async () => {
      const store = await packs.store();
      await deploy(store, randomBytes(1_000), randomBytes(2_000));
      const before = await packs.rows();
      await store.rebuildIndex();
      expect(await packs.rows()).toEqual(before);
    });

    it.each([
      ['in the middle of content', 500],
      ['in the middle of a header', 3_000 + 30],
    ])('the rebuilt index covers a truncated pack up to the last complete record: %s', async (_, cut) => {
      const store = await packs.store();
      await deploy(store, randomBytes(1_000), randomBytes(2_000));
      const [torn] = await deploy(store, randomBytes(3_000));
      const before = await packs.rows();
      const { file, start } = await placeOf(torn!);
      const handle = await open(file, 'r+');
      await handle.truncate(start + headerBytes + 3_000 - cut);
      await handle.close();
      await packs.loseIndex();
      await store.rebuildIndex();
      expect(await packs.rows()).toEqual(before.filter((row) => !row.startsWith(torn!)));
    });

    it('the rebuilt index omits damaged content, but includes the content that follows', async () => {
      const store = await packs.store();
      const [, hurt] = await deploy(store, randomBytes(1_000), randomBytes(2_000), randomBytes(3_000));
      const before = await packs.rows();
      await flip(hurt!, headerBytes + 7);
      await packs.loseIndex();
      expect(await store.rebuildIndex()).toEqual({ packs: 1, blobs: 2, damaged: 1 });
      expect(await packs.rows()).toEqual(before.filter((row) => !row.startsWith(hurt!)));
    });

    it('the rebuilt index includes content after a damaged header, and ignores stored data that looks like a header', async () => {
      const store = await packs.store();
      const decoy = Buffer.alloc(2_000, 'STLP');
      const [, hurt] = await deploy(store, randomBytes(1_000), decoy, randomBytes(3_000));
      const before = await packs.rows();
      await flip(hurt!, 9);
      await packs.loseIndex();
      expect(await store.rebuildIndex()).toEqual({ packs: 1, blobs: 2, damaged: 0 });
      expect(await packs.rows()).toEqual(before.filter((row) => !row.startsWith(hurt!)));
    });
  });

  it('any number of processes can open the content store at the same time', async () => {
    await Promise.all(Array.from({ length: 6 }, () => packs.store()));
  });
});
