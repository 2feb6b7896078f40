import type { BlobStore, ByteRange } from '../../../storage/blobs/blob-store.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';

/** A file of a site. It is stored on its own, or as part of a larger stored object. */
export type StoredFile = ManifestFile & {
  /** The stored object that contains the file, and the offset of the file's first byte in it. */
  readonly within?: { readonly sha256: string; readonly first: number };
};

/** Streams a file or a range of it. Throws the same errors as `BlobStore`. */
export function streamFile(
  blobs: Pick<BlobStore, 'stream'>,
  { sha256, size, within }: StoredFile,
  range?: ByteRange,
): AsyncIterable<Buffer> {
  if (!within) return blobs.stream(sha256, range);
  if (size === 0) return nothing();
  const { first, last } = range ?? { first: 0, last: size - 1 };
  return blobs.stream(within.sha256, { first: within.first + first, last: within.first + Math.min(last, size - 1) });
}

export async function readFile(blobs: Pick<BlobStore, 'read' | 'stream'>, file: StoredFile): Promise<Buffer> {
  if (!file.within) return blobs.read(file.sha256);
  const pieces: Buffer[] = [];
  for await (const piece of streamFile(blobs, file)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* nothing(): AsyncGenerator<Buffer> {}
