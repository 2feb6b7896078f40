import { Header, Pax } from 'tar';
import type { BlobStore } from '../../../../storage/blobs/blob-store.js';

const BLOCK = 512;
/** Read at once: where members are small, their heads lie close together. */
const WINDOW = 65_536;
/** Of what says more of a member than its head can: a path of Linux has 4,096 bytes at most. */
const MOST_OF_PAX = 16_384;

/** A file in an archive, and where in it its bytes begin. */
export type StoredMember = { readonly path: string; readonly first: number; readonly size: number };

/**
 * The files of a tar that is stored, in their order: their heads alone are read. Ends where the archive does, or where
 * what follows is none.
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

/** Reads so many bytes from a place, fewer where the content ends before. */
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

/** A part of a content, in one piece; empty where the content ends before it. */
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
