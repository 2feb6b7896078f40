import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { zipLength } from './zip-length.js';

type File = { readonly path: string; readonly size: number };

/** Writes a zip archive with the library yazl. `told` is the length that yazl computes in advance. */
function zipped(files: readonly File[], read: (size: number) => Readable) {
  const zip = new ZipFile();
  for (const { path, size } of files)
    zip.addReadStreamLazy(path, { size, compress: false }, (begin) => begin(null, read(size)));
  let told = -1;
  zip.end(undefined, (...[length = -1]: number[]) => {
    told = length;
  });
  return { told, bytes: () => buffer(zip.outputStream) };
}

const many = (count: number, path: string) =>
  Array.from({ length: count }, (_, n) => ({ path: `${path}${n}`, size: 1 }));

describe('The computed length of a zip', () => {
  it.each<[string, File[]]>([
    ['one file', [{ path: 'index.html', size: 5 }]],
    ['an empty file with a non-ASCII name', [{ path: 'café/🦦', size: 0 }]],
    ['a central directory slightly shorter than 65,535 bytes', many(1000, 'xxxxxx')],
    ['a central directory longer than 65,535 bytes', many(1100, 'xxxxxx')],
    ['many files with long paths', many(3000, 'x'.repeat(900))],
  ])('the computed length of a zip equals its actual length: %s', async (_, files) => {
    const { bytes } = zipped(files, (size) => Readable.from([Buffer.alloc(size)]));
    expect(zipLength(files)).toBe((await bytes()).length);
  });

  const gibibyte = 2 ** 30;
  it.each<[string, File[]]>([
    ['one file of 5 GiB', [{ path: 'a', size: 5 * gibibyte }]],
    [
      'a file that begins after 4 GiB',
      [
        { path: 'a', size: 3 * gibibyte },
        { path: 'b', size: 3 * gibibyte },
        { path: 'c', size: 1 },
      ],
    ],
    ['a central directory that begins after 4 GiB', [{ path: 'a', size: 4 * gibibyte - 2 }]],
  ])('the computed length equals that computed by yazl for a zip too large to create: %s', (_, files) => {
    expect(zipLength(files)).toBe(zipped(files, () => new Readable({ read() {} })).told);
  });
});
