import { Header, Pax } from 'tar';
import type { BlobStore } from '../../../../storage/blobs/blob-store.js';

const BLOCK = 512;
/** Number of bytes read at once. The headers of small members lie close together, so one read covers several. */
const WINDOW = 65_536;
/** Maximum size of a pax header that is parsed. A Linux path has at most 4,096 bytes. */
const MOST_OF_PAX = 16_384;

/** A file in an archive, and the offset of its content. */
export type StoredMember = { readonly path: string; readonly first: number; readonly size: number };

/**
 * Yields the files of a stored tar in order, reading only their headers. Stops at the end of the archive or at an
 * invalid header.
 */
export async function* storedMembers(blobs: Pick<BlobStore, 'stream'>, sha256: string): AsyncGenerator<StoredMember> {
  const read = windowOn(blobs, sha256);
  let longer: string | null = null;
  for (let at = 0; ; ) {
    const block = await read(at, BLOCK);
    if (block.length < BLOCK) return;
    const { path, size = 0, type, cksumValid, nullBlock } = new Header(block);
    if (nullBlock || !cksumValid) return;
    const first = at + BLOCK;
    if (type === 'ExtendedHeader' && size <= MOST_OF_PAX)
      longer = Pax.parse((await read(first, size)).toString('utf8')).path ?? null;
    else {
      if (type === 'File' || type === 'OldFile') yield { path: longer ?? path ?? '', first, size };
      longer = null;
    }
    at = first + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** Returns a function that reads bytes at an offset. It returns fewer bytes if the content ends before that. */
function windowOn(blobs: Pick<BlobStore, 'stream'>, sha256: string) {
  let from = 0;
  let bytes: Buffer = Buffer.alloc(0);
  return async (at: number, length: number): Promise<Buffer> => {
    if (at < from || at + length > from + bytes.length) {
      from = at;
      bytes = await partOf(blobs, sha256, { first: at, last: at + Math.max(WINDOW, length) - 1 });
    }
    return bytes.subarray(at - from, at - from + length);
  };
}

/** Reads a range of a blob into one buffer. The buffer is empty if the blob ends before the range. */
async function partOf(
  blobs: Pick<BlobStore, 'stream'>,
  sha256: string,
  range: { readonly first: number; readonly last: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of blobs.stream(sha256, range)) pieces.push(piece);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return Buffer.concat(pieces);
}
