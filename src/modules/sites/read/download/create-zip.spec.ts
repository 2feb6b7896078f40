import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { fromBufferPromise } from 'yauzl';
import { createZip } from './create-zip.js';

const noon = new Date('2026-11-20T12:34:56.789Z');

/**
 * Returns files to pack, and a function `open` that yields their contents in chunks of 64 KiB and counts what is read.
 */
function contents(files: Record<string, Buffer>) {
  const sizes = Object.entries(files).map(([path, bytes]) => ({
    path,
    sha256: hash('sha256', path),
    size: bytes.length,
  }));
  const bytesOf = new Map(sizes.map(({ path, sha256 }) => [sha256, files[path]!]));
  const asked = { opened: 0, closed: 0, bytes: 0 };

  async function* open(sha256: string) {
    asked.opened++;
    try {
      const bytes = bytesOf.get(sha256)!;
      for (let at = 0; at < bytes.length; at += 65_536) {
        const piece = bytes.subarray(at, at + 65_536);
        asked.bytes += piece.length;
        yield piece;
      }
    } finally {
      asked.closed++;
    }
  }
  return { files: sizes, open, asked };
}

const settled = async () => {
  for (let turn = 0; turn < 50_000; turn++) await setImmediate();
};

describe('A zip of a deploy', () => {
  it('the zip contains every file byte for byte, in the given order', async () => {
    const files = {
      'café/ménü 🦦.txt': Buffer.from('menu'),
      'empty.txt': Buffer.alloc(0),
      'film.bin': randomBytes(5_000_000),
      'index.html': Buffer.from('<h1>hi</h1>'),
    };
    const { files: listed, open } = contents(files);
    const { stream, length } = createZip(listed, noon, open);
    const bytes = await buffer(stream);
    expect(bytes.length).toBe(length);

    const zip = await fromBufferPromise(bytes, { strictFileNames: true });
    const found: Record<string, Buffer> = {};
    for await (const entry of zip.eachEntry()) {
      found[entry.fileName] = await buffer(await zip.openReadStreamPromise(entry));
      expect(entry.getLastModDate({ forceDosFormat: false, timezone: 'UTC' })).toEqual(
        new Date('2026-11-20T12:34:56Z'),
      );
    }
    expect(Object.keys(found)).toEqual(Object.keys(files));
    for (const [path, content] of Object.entries(files))
      expect([path, found[path]!.equals(content)]).toEqual([path, true]);
  });

  it.each([
    ['small', 500, 50_000, 5],
    ['empty', 10_000, 0, 5_000],
  ])('the zip does not read far ahead of its consumer: %s files', async (_, count, size, most) => {
    const files = Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, randomBytes(size)]));
    const { files: listed, open, asked } = contents(files);
    const { stream, length } = createZip(listed, noon, open);
    await settled();
    expect(asked.opened).toBeLessThan(most);

    expect((await buffer(stream)).length).toBe(length);
    expect(asked).toEqual({ opened: count, closed: count, bytes: count * size });
  });

  it('destroying the zip closes the open file and opens no further file', async () => {
    const { files, open, asked } = contents({ a: randomBytes(5_000_000), b: randomBytes(10) });
    const { stream } = createZip(files, noon, open);
    await once(stream, 'readable');
    stream.read();
    stream.destroy();
    await once(stream, 'close');
    await settled();
    expect(asked).toMatchObject({ opened: 1, closed: 1 });
    expect(asked.bytes).toBeLessThan(1_000_000);
  });

  it('destroying the zip when a file has just ended opens no further file', async () => {
    const { files, open, asked } = contents({ a: Buffer.alloc(0), b: randomBytes(10) });
    const { stream } = createZip(files, noon, async function* (sha256) {
      yield* open(sha256);
      stream.destroy();
    });
    await once(stream, 'close');
    await settled();
    expect(asked).toMatchObject({ opened: 1, closed: 1 });
  });

  it.each([
    [
      'cannot be read',
      async function* () {
        yield Buffer.from('ha');
        throw new Error('The disk is gone.');
      },
    ],
    [
      'is shorter than expected',
      async function* () {
        yield Buffer.from('ha');
      },
    ],
  ])('the zip fails with an error instead of ending early when a file %s', async (_, open) => {
    const { stream } = createZip([{ path: 'a', sha256: 'a', size: 4 }], noon, open);
    await expect(buffer(stream)).rejects.toThrow();
  });
});
