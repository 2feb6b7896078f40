import { Header, Pax } from 'tar';
import { refuse } from '../../../../kernel/refusal.js';
import type { BlobStore } from '../../../../storage/blobs/blob-store.js';
import type { DeployLimits } from '../../deploy-limits.js';

/** Throws `invalid_path` for a link, a device or a pipe. `what` describes it, including an article. */
export const refuseNonFile = (path: string, field: string, what: string): never => {
  const shown = path.replace(/\p{Control}/gu, '\ufffd').slice(0, 200);
  return refuse(
    'invalid_path',
    `“${shown}” is ${what}. Archives can contain only files and folders.`,
    [{ path: `${field}.path`, message: `is ${what}` }],
    { suggestion: NON_FILE_SUGGESTIONS[what] ?? 'Leave it out of the archive.' },
  );
};

/** Suggestion for sparse files, of which archivers store only the non-empty parts. */
export const WITHOUT_SPARSE_FILES =
  'Store the whole files: leave out -S with GNU tar, or add --no-read-sparse with bsdtar (macOS).';

const NON_FILE_SUGGESTIONS: Readonly<Record<string, string>> = {
  'a hard link': 'Store the content instead of links: tar --hard-dereference -czf site.tar.gz -C site .',
  'a link': 'Store the content instead of links: tar -h, or zip without -y.',
  'a sparse file': WITHOUT_SPARSE_FILES,
};

/** Throws `invalid_request` for the archive as a whole. `why` completes "The zip archive …". */
export const refuseArchive = (kind: 'zip' | 'tar.gz', why: string, suggestion?: string): never =>
  refuse('invalid_request', `The ${kind} archive ${why}.`, [{ path: 'body', message: why }], {
    ...(suggestion !== undefined && { suggestion }),
  });

export const refuseEmptyArchive = (): never =>
  refuse('no_files', 'The archive contains no files.', [], {
    suggestion: 'Add the files of the site to the archive, and send it again.',
  });

/** Refuses an archive whose signature belongs to a format other than `as`. */
function assertFormat(start: Uint8Array, as: 'zip' | 'tar.gz'): void {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength);
  if (/^\s{0,100}(?:<(?:!doctype|html|\?xml)\b|\{)/i.test(bytes.toString('latin1')))
    refuseArchive(as, 'is a text file, perhaps an error page', 'Open it in an editor to see what it contains.');
  const found = formatOf(bytes);
  if (found && found.name !== as) refuseArchive(as, `is ${found.what}`, found.suggestion);
}

const formatOf = (bytes: Buffer) =>
  FORMATS.find(({ at, text }) => bytes.toString('latin1', at, at + text.length) === text);

/**
 * Refuses a page that is an archive, because browsers would show its bytes as text. `start` contains at least the first
 * SIGNATURE_BYTES bytes of the page, or the whole page if it is shorter.
 */
export function assertNoArchive(start: Buffer): void {
  const found = formatOf(start);
  if (found)
    refuse('invalid_request', `The page is ${found.what}.`, [{ path: 'body', message: `is ${found.what}` }], {
      suggestion: found.suggestion,
    });
}

/** Yields the chunks of an archive unchanged, and checks its format as soon as enough bytes have arrived. */
export async function* checkedFormat(
  chunks: AsyncIterable<Uint8Array>,
  as: 'zip' | 'tar.gz',
): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0);
  let isChecked = false;
  for await (const chunk of chunks) {
    if (!isChecked) {
      start = Buffer.concat([start, chunk]).subarray(0, SIGNATURE_BYTES);
      isChecked = start.length === SIGNATURE_BYTES;
      assertFormat(start, as);
    }
    yield chunk;
  }
}

/** Number of bytes needed to recognize a tar archive, whose signature ends at this offset. */
export const SIGNATURE_BYTES = 262;

const FORMATS = [
  {
    name: 'zip',
    at: 0,
    text: 'PK\x03\x04',
    what: 'a zip archive',
    suggestion: 'Send it with Content-Type: application/zip.',
  },
  {
    name: 'tar.gz',
    at: 0,
    text: '\x1f\x8b',
    what: 'compressed with gzip',
    suggestion: 'Send a tar.gz archive with Content-Type: application/gzip.',
  },
  {
    name: 'tar',
    at: 257,
    text: 'ustar',
    what: 'an uncompressed tar archive',
    suggestion: 'Compress it: tar -czf site.tar.gz -C site .',
  },
  { name: 'rar', at: 0, text: 'Rar!\x1a\x07', what: 'a RAR archive', suggestion: 'Send a zip or tar.gz archive.' },
  { name: '7z', at: 0, text: "7z\xbc\xaf'\x1c", what: 'a 7z archive', suggestion: 'Send a zip or tar.gz archive.' },
  {
    name: 'xz',
    at: 0,
    text: '\xfd7zXZ',
    what: 'compressed with xz',
    suggestion: 'Compress it with gzip: tar -czf site.tar.gz -C site .',
  },
  {
    name: 'bzip2',
    at: 0,
    text: 'BZh',
    what: 'compressed with bzip2',
    suggestion: 'Compress it with gzip: tar -czf site.tar.gz -C site .',
  },
  {
    name: 'zstd',
    at: 0,
    text: '\x28\xb5\x2f\xfd',
    what: 'compressed with zstd',
    suggestion: 'Compress it with gzip: tar -czf site.tar.gz -C site .',
  },
] as const;

/** Returns the maximum size of an archive, compressed or not: a deploy’s content, plus metadata for each file. */
export const maxArchiveBytes = ({ deployBytes, files }: DeployLimits) => deployBytes + files * 8192 + 1_048_576;

const BLOCK = 512;
/** Number of bytes per read. The headers of small members are close together, so one read covers several of them. */
const WINDOW = 65_536;
/** Maximum size of a pax header. A Linux path has at most 4,096 bytes. */
const MAX_PAX_BYTES = 16_384;

/** A file in a stored archive. `first` is the offset of its content. */
export type StoredMember = { readonly path: string; readonly first: number; readonly size: number };

/** Yields the files of a stored tar archive, reading only headers. Stops at the end or at an invalid header. */
export async function* storedMembers(blobs: Pick<BlobStore, 'stream'>, sha256: string): AsyncGenerator<StoredMember> {
  const read = windowOn(blobs, sha256);
  let longer: string | null = null;
  for (let at = 0; ; ) {
    const block = await read(at, BLOCK);
    if (block.length < BLOCK) return;
    const { path, size = 0, type, cksumValid, nullBlock } = new Header(block);
    if (nullBlock || !cksumValid) return;
    const first = at + BLOCK;
    if (type === 'ExtendedHeader' && size <= MAX_PAX_BYTES)
      longer = Pax.parse((await read(first, size)).toString('utf8')).path ?? null;
    else {
      if (type === 'File' || type === 'OldFile') yield { path: longer ?? path ?? '', first, size };
      longer = null;
    }
    at = first + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** Returns a function that reads bytes at an offset, or fewer bytes if the content ends before that. */
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

/** Reads a range of a blob. Returns no bytes if the range starts after the end of the blob. */
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
