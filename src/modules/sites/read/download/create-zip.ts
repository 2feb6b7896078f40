import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { ManifestFile } from '../../../../storage/blobs/manifest.js';
import { UtcTime } from './utc-time.js';
import { zipLength } from './zip-length.js';

export type Zip = {
  /**
   * Is read at the speed of its consumer; an error ends it early. Destroy it to release everything that it has open.
   */
  readonly stream: Readable;
  /** In bytes. It is known before any content is read, because nothing is compressed. */
  readonly length: number;
};

/** Starts reading a content. */
type OpenContent = (sha256: string) => AsyncIterable<Buffer>;

/**
 * Packs the files into one zip in their order, all dated `at`: the same files always result in the same bytes. For
 * that, and so that the length is known, nothing is compressed. One content is open at a time.
 */
export function createZip(files: readonly ManifestFile[], at: Date, open: OpenContent): Zip {
  const zip = new ZipFile();
  const stream = outputOf(zip);
  // yazl writes the time of day in the process’s time zone.
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
