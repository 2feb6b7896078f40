import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Blob, BlobMissingError, type BlobStore, type ByteRange } from '../../src/storage/blobs/blob-store.js';

export type BlobStoreUnderTest = {
  readonly store: BlobStore;
  readonly pass: (hours: number) => void;
  /** Returns the number of bytes that the store occupies. */
  readonly stored: () => Promise<number>;
  readonly close: () => Promise<void>;
};

const mebibyte = 1024 * 1024;

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* inPieces(content: Buffer, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function* named(...digests: string[]) {
  for (const digest of digests) yield [digest];
}

export function blobStoreContract(engine: string, open: () => Promise<BlobStoreUnderTest>) {
  describe(`${engine} as a content-addressed store`, () => {
    let under: BlobStoreUnderTest;
    let store: BlobStore;

    beforeAll(async () => {
      under = await open();
      store = under.store;
    });
    afterAll(() => under.close());

    const deploy = async (...contents: (Uint8Array | AsyncIterable<Uint8Array>)[]): Promise<Blob[]> => {
      const intake = store.begin();
      const blobs: Blob[] = [];
      for (const content of contents) blobs.push(await intake.add(content));
      await intake.seal();
      return blobs;
    };
    const deployOne = async (content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob> =>
      (await deploy(content))[0]!;

    const streamed = async (sha256: string, range?: ByteRange) => {
      const pieces: Buffer[] = [];
      for await (const piece of store.stream(sha256, range)) pieces.push(Buffer.from(piece));
      return { bytes: Buffer.concat(pieces), largest: Math.max(0, ...pieces.map((piece) => piece.length)) };
    };

    describe('fully stored content', () => {
      it.each([
        ['nothing', 0],
        ['one byte', 1],
        ['a page', 2_048],
        ['exactly one chunk', 64 * 1024],
        ['one byte more than a chunk', 64 * 1024 + 1],
        ['exactly a mebibyte', mebibyte],
        ['one byte more than a mebibyte', mebibyte + 1],
        ['a video', 5 * mebibyte + 17],
      ])('content that is added as a whole is read back unchanged: %s', async (_, size) => {
        const content = randomBytes(size);
        const blob = await deployOne(content);
        expect(blob).toEqual({ sha256: digestOf(content), size });
        expect((await store.read(blob.sha256)).equals(content)).toBe(true);
        expect((await streamed(blob.sha256)).bytes.equals(content)).toBe(true);
      });

      it.each([
        ['in tiny chunks', 50_000, 7],
        ['in chunks as from a socket', 3 * mebibyte + 5, 64 * 1024],
        ['in chunks larger than any buffer', 9 * mebibyte, 4 * mebibyte],
        ['without a chunk', 0, 1],
      ])('content that is added %s is read back unchanged', async (_, size, piece) => {
        const content = randomBytes(size);
        const blob = await deployOne(inPieces(content, piece));
        expect(blob).toEqual({ sha256: digestOf(content), size });
        expect((await store.read(blob.sha256)).equals(content)).toBe(true);
      });

      it('a deploy that is larger than the memory buffer is stored completely', async () => {
        const contents = Array.from({ length: 40 }, (_, i) => randomBytes(i % 8 === 0 ? 2 * mebibyte : 200_000));
        const blobs = await deploy(...contents);
        for (const [i, { sha256 }] of blobs.entries())
          expect((await store.read(sha256)).equals(contents[i]!)).toBe(true);
      });

      it('all content is stored completely if many large deploys run concurrently and some are abandoned', async () => {
        const sealed: Blob[] = [];
        const one = async (n: number) => {
          const intake = store.begin();
          const blobs: Blob[] = [];
          // Every third intake is abandoned. It is smaller than the others, so that the store may still be writing its
          // data to disk when it is abandoned.
          const size = n % 3 === 2 ? 4 * mebibyte : 10 * mebibyte;
          for (let left = size; left > 0; ) {
            const content = randomBytes(1 + Math.floor(Math.random() * 300_000));
            left -= content.length;
            blobs.push(await intake.add(content));
            // Adds some content twice, which must be harmless.
            if (left % 3 === 0) await intake.add(content);
          }
          if (n % 3 < 2) {
            await intake.seal();
            sealed.push(...blobs);
            return;
          }
          await intake.abandon();
          // Adds more content, which the store may write to the space that the abandoned intake has freed.
          for (let small = 0; small < 5; small++) sealed.push(await deployOne(randomBytes(60_000)));
        };
        for (let round = 0; round < 2; round++)
          await Promise.all(Array.from({ length: 4 }, (_, n) => one(4 * round + n)));
        for (const { sha256 } of sealed) expect(digestOf(await store.read(sha256))).toBe(sha256);
      }, 60_000);

      it('stored content does not change when the caller reuses its buffer', async () => {
        const content = Buffer.from('as it was handed over');
        const intake = store.begin();
        const { sha256 } = await intake.add(content);
        content.fill('x');
        await intake.seal();
        expect((await store.read(sha256)).toString()).toBe('as it was handed over');
      });

      it('content uses disk space only once, regardless of how many deploys contain it', async () => {
        const small = randomBytes(100_000);
        const large = randomBytes(2 * mebibyte);
        await deploy(small, large, small, large);
        const before = await under.stored();
        const again = await deploy(large, inPieces(small, 1_000), inPieces(large, 50_000));
        expect(again.map((blob) => blob.size)).toEqual([large.length, small.length, large.length]);
        expect(await under.stored()).toBe(before);
      });

      it('concurrent deploys can add the same content for the first time', async () => {
        const shared = Array.from({ length: 20 }, () => randomBytes(3_000));
        const deploys = await Promise.all(
          Array.from({ length: 12 }, (_, i) => deploy(...shared, randomBytes(100 + i))),
        );
        for (const blobs of deploys)
          for (const [i, { sha256 }] of blobs.slice(0, -1).entries())
            expect((await store.read(sha256)).equals(shared[i]!)).toBe(true);
      });
    });

    describe('reading content as a stream', () => {
      it('a content stream has chunks of at most 64 KiB', async () => {
        const { sha256 } = await deployOne(randomBytes(mebibyte + 3));
        expect((await streamed(sha256)).largest).toBe(64 * 1024);
      });

      it.each([
        [{ first: 0, last: 0 }],
        [{ first: 10, last: 19 }],
        [{ first: 65_530, last: 65_540 }],
        [{ first: 0, last: 699_999 }],
        [{ first: 300_000, last: 699_999 }],
        [{ first: 699_999, last: 900_000 }],
      ])('a content stream returns the requested range, both ends included: %p', async (range) => {
        const content = randomBytes(700_000);
        const { sha256 } = await deployOne(content);
        const { bytes } = await streamed(sha256, range);
        expect(bytes.equals(content.subarray(range.first, range.last + 1))).toBe(true);
      });

      it('a range beyond the end of the content is refused', async () => {
        const { sha256 } = await deployOne(randomBytes(100));
        await expect(streamed(sha256, { first: 100, last: 120 })).rejects.toThrow(RangeError);
      });

      it('a content stream can be closed before its end', async () => {
        const content = randomBytes(2 * mebibyte);
        const { sha256 } = await deployOne(content);
        for await (const piece of store.stream(sha256)) {
          expect(piece.equals(content.subarray(0, piece.length))).toBe(true);
          break;
        }
        expect((await store.read(sha256)).length).toBe(content.length);
      });
    });

    describe('content that was never stored', () => {
      it.each([[digestOf(Buffer.from('never stored'))], ['not a digest'], ['A'.repeat(64)], ['']])(
        'content that was never stored is reported as missing: %p',
        async (sha256) => {
          await expect(store.read(sha256)).rejects.toThrow(BlobMissingError);
          await expect(streamed(sha256)).rejects.toThrow(BlobMissingError);
          await expect(streamed(sha256, { first: 0, last: 1 })).rejects.toThrow(BlobMissingError);
          expect(await store.touch([sha256])).toEqual(new Map());
        },
      );
    });

    describe('intakes, each of which collects the content of one deploy', () => {
      it('content can’t be read before its intake is sealed', async () => {
        const intake = store.begin();
        const small = await intake.add(randomBytes(1_000));
        const large = await intake.add(randomBytes(2 * mebibyte));
        expect(await store.touch([small.sha256, large.sha256])).toEqual(new Map());
        await expect(store.read(large.sha256)).rejects.toThrow(BlobMissingError);
        await intake.seal();
        expect(await store.touch([small.sha256, large.sha256])).toEqual(
          new Map([
            [small.sha256, small.size],
            [large.sha256, large.size],
          ]),
        );
      });

      it('an abandoned intake leaves nothing behind', async () => {
        const before = await under.stored();
        const intake = store.begin();
        const blobs: Blob[] = [];
        for (let i = 0; i < 12; i++) blobs.push(await intake.add(randomBytes(mebibyte)));
        blobs.push(await intake.add(randomBytes(3 * mebibyte)));
        await intake.abandon();
        expect(await under.stored()).toBe(before);
        expect(await store.touch(blobs.map((blob) => blob.sha256))).toEqual(new Map());
      });

      it('an intake that is abandoned during a write to disk leaves nothing behind', async () => {
        // Random content of 16 bytes, so that no other test has stored it.
        const [before] = [await under.stored(), await deployOne(randomBytes(16))];
        const one = (await under.stored()) - before;
        const intake = store.begin();
        for (let n = 0; n < 45; n++) await intake.add(randomBytes(100_000));
        await intake.abandon();
        // These deploys take longer than any write that may still be in progress.
        await deploy(...Array.from({ length: 60 }, () => randomBytes(100_000)));
        const record = one - 16 + 100_000;
        expect(await under.stored()).toBe(before + one + 60 * record);
      });

      it('an intake can be empty, and can be abandoned after it was sealed', async () => {
        const intake = store.begin();
        await intake.seal();
        await intake.abandon();
      });

      it('a sealed intake accepts no more content', async () => {
        const intake = store.begin();
        await intake.seal();
        await expect(intake.add(Buffer.from('late'))).rejects.toThrow('sealed');
        await expect(intake.seal()).rejects.toThrow('sealed');
      });

      it.each([
        ['immediately', 0],
        ['while it is small', 100_000],
        ['after it has grown large', 4 * mebibyte],
      ])('an intake can continue after a source that fails %s', async (_, after) => {
        async function* failing() {
          yield* inPieces(randomBytes(after), 64 * 1024);
          throw new RangeError('too large');
        }
        const [small, large, late] = [randomBytes(5_000), randomBytes(2 * mebibyte), randomBytes(6_000)];
        const intake = store.begin();
        const blobs = [await intake.add(small), await intake.add(large)];
        await expect(intake.add(failing())).rejects.toThrow(new RangeError('too large'));
        blobs.push(await intake.add(late));
        await intake.seal();
        for (const [i, content] of [small, large, late].entries())
          expect((await store.read(blobs[i]!.sha256)).equals(content)).toBe(true);
      });
    });

    describe('collecting unused content', () => {
      it('the collector removes only content that no deploy references and that has not been touched for a day', async () => {
        const [kept, touched, again, gone, young] = Array.from({ length: 5 }, () => randomBytes(10_000));
        const old = await deploy(kept!, touched!, again!, gone!);
        under.pass(20);
        expect((await store.touch([old[1]!.sha256])).size).toBe(1);
        await deploy(again!);
        const fresh = await deployOne(young!);
        under.pass(6);

        const { blobs } = await store.collect(named(old[0]!.sha256, digestOf(Buffer.from('unknown')), old[0]!.sha256));

        expect(blobs).toBeGreaterThanOrEqual(1);
        const survivors = [old[0]!, old[1]!, old[2]!, fresh].map(({ sha256, size }) => [sha256, size] as const);
        expect(await store.touch([...old, fresh].map((blob) => blob.sha256))).toEqual(new Map(survivors));
        await expect(store.read(old[3]!.sha256)).rejects.toThrow(BlobMissingError);
        expect((await store.read(old[0]!.sha256)).equals(kept!)).toBe(true);
      });

      it('the collector removes nothing if it can’t read all references', async () => {
        const { sha256 } = await deployOne(randomBytes(1_000));
        under.pass(26);
        async function* failing() {
          yield [digestOf(Buffer.from('something else'))];
          throw new Error('the log is away');
        }
        await expect(store.collect(failing())).rejects.toThrow('the log is away');
        expect((await store.read(sha256)).length).toBe(1_000);
        await store.collect(named());
        await expect(store.read(sha256)).rejects.toThrow(BlobMissingError);
      });

      it('touched content is kept for a full day, even if it was less than an hour old when it was touched', async () => {
        const { sha256 } = await deployOne(randomBytes(1_000));
        under.pass(0.9);
        await store.touch([sha256]);
        under.pass(23.9);
        await store.collect(named());
        expect((await store.read(sha256)).length).toBe(1_000);
      });

      it('content that becomes a day old while the collector reads references is not removed', async () => {
        const { sha256 } = await deployOne(randomBytes(1_000));
        async function* slowly() {
          under.pass(26);
          yield [digestOf(Buffer.from('something else'))];
        }
        await store.collect(slowly());
        expect((await store.read(sha256)).length).toBe(1_000);
      });

      it('the collector frees the space of unused content within three days, and all other content stays intact', async () => {
        const lives = randomBytes(50_000);
        const large = randomBytes(1_500_000);
        const kept = await deploy(lives, large, ...Array.from({ length: 60 }, () => randomBytes(100_000)));
        const before = await under.stored();
        const names = kept.slice(0, 2).map((blob) => blob.sha256);
        let freed = 0;
        for (let days = 0; days < 3; days++) {
          under.pass(26);
          freed += (await store.collect(named(...names))).freed;
        }
        expect(freed).toBeGreaterThan(6_000_000);
        expect(before - (await under.stored())).toBeGreaterThan(4_000_000);
        expect((await store.read(names[0]!)).equals(lives)).toBe(true);
        expect((await streamed(names[1]!)).bytes.equals(large)).toBe(true);
      });

      it('removed content can be stored again', async () => {
        const content = randomBytes(4_000);
        await deployOne(content);
        under.pass(26);
        await store.collect(named());
        const { sha256 } = await deployOne(content);
        expect((await store.read(sha256)).equals(content)).toBe(true);
      });

      it('only one collector runs at a time; a second collector removes nothing', async () => {
        const { sha256 } = await deployOne(randomBytes(1_000));
        under.pass(26);
        let second = { blobs: -1, moved: -1, freed: -1 };
        async function* whileAnotherTries() {
          second = await store.collect(named());
          yield [sha256];
        }
        await store.collect(whileAnotherTries());
        expect(second).toEqual({ blobs: 0, moved: 0, freed: 0 });
        expect((await store.read(sha256)).length).toBe(1_000);
      });
    });
  });
}
