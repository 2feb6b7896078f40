import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ManifestFile } from '../../../../storage/blobs/manifest.js';
import { UtcTime } from './utc-time.js';
import { zipLength } from './zip-length.js';

export type Zip = {
  /**
   * Zip archive as a stream that reads files only as fast as it is consumed. An error ends it early. Destroy it to
   * close open files.
   */
  readonly stream: Readable;
  /** Length of the archive in bytes. It is known before any file is read because nothing is compressed. */
  readonly length: number;
};

type OpenContent = (sha256: string) => AsyncIterable<Buffer>;

/**
 * Packs the files in the given order, each dated `at`. Nothing is compressed, so that the same files always produce the
 * same bytes and the length is known in advance. Opens one file at a time.
 */
export function createZip(files: readonly ManifestFile[], at: Date, open: OpenContent): Zip {
  const zip = new ZipFile();
  const stream = outputOf(zip);
  // yazl writes local times, so it gets a date whose local time is the UTC time.
  const mtime = new UtcTime(at);
  let content: Readable | undefined;

  zip.on('error', (error: Error) => stream.destroy(error));
  stream.once('close', () => content?.destroy());
  for (const { path, sha256, size } of files) {
    zip.addReadStreamLazy(path, { mtime, mode: 0o100644, compress: false, size }, (begin) => {
      content = Readable.from(open(sha256)).once('error', (error) => stream.destroy(error));
      begin(null, content);
    });
  }
  zip.end();
  return { stream, length: zipLength(files) };
}

function outputOf({ outputStream }: ZipFile): PassThrough {
  if (outputStream instanceof PassThrough) return outputStream;
  throw new TypeError('The output stream of yazl is not a PassThrough.');
}
