import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Header } from 'tar';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { DeployLimits } from '../../deploy-limits.js';
import { bodyChunks, type UploadedEntry } from '../body-chunks.js';
import { ByteReader } from '../byte-reader.js';
import { gunzip } from './inflate.js';
import {
  checkedFormat,
  explainOmission,
  maxArchiveBytes,
  refuseArchive,
  refuseEmptyArchive,
  refuseNonFile,
} from './stored-members.js';

/** Size of a block. Headers and contents are padded to whole blocks. */
const tarBlock = 512;
/** Maximum size of an extension header. Valid paths are far shorter. */
const MAX_METADATA_BYTES = 64 * 1024;

type TarMember = { readonly path: string; readonly size: number; readonly type: Header['type'] };

const broken = (why: string) => refuseArchive('tar.gz', why);
const endsEarly = () => broken('is incomplete');

/** Reads the next member’s headers (also POSIX pax and GNU long names). Returns null at the end of the archive. */
async function nextMember(tar: ByteReader): Promise<TarMember | null> {
  const overrides = new Map<string, string>();
  for (let count = 0; ; count++) {
    const header = await nextHeader(tar);
    if (!header && overrides.size > 0) endsEarly();
    if (!header) return null;
    if (count > 8) broken('has too many extension headers in a row');
    const { type } = header;
    const size = header.size ?? broken('has an entry without a size');
    switch (type) {
      case 'ExtendedHeader':
      case 'OldExtendedHeader':
        for (const [key, value] of paxRecords(await metadata(tar, size))) overrides.set(key, value);
        break;
      case 'GlobalExtendedHeader':
        // Git writes a comment to the global header. A path or a size for all entries is refused; everything else is
        // ignored.
        for (const key of paxRecords(await metadata(tar, size)).keys())
          if (describesMember(key)) broken('has a global header that sets the path or size of its entries');
        break;
      case 'NextFileHasLongPath':
      case 'OldGnuLongPath':
        overrides.set('path', text(await metadata(tar, size)).split('\0', 1)[0] ?? '');
        break;
      case 'NextFileHasLongLinkpath':
        await metadata(tar, size);
        break;
      default:
        return { type, ...withOverrides(overrides, header.path ?? '', size) };
    }
  }
}

function withOverrides(overrides: ReadonlyMap<string, string>, path: string, size: number) {
  if ([...overrides.keys()].some((key) => key.startsWith('GNU.sparse.'))) broken('contains a sparse file');
  const sizeOverride = overrides.get('size');
  if (sizeOverride !== undefined && !/^\d{1,15}$/.test(sizeOverride)) broken('has an entry with an invalid size');
  const named = overrides.get('path') ?? path;
  if (named.includes('\ufffd')) refuse('invalid_path', 'The archive contains a path that is not valid UTF-8.');
  return { path: named, size: sizeOverride === undefined ? size : Number(sizeOverride) };
}

const describesMember = (key: string) => key === 'path' || key === 'size' || key.startsWith('GNU.sparse.');

async function nextHeader(tar: ByteReader): Promise<Header | null> {
  const block = await tar.exactly(tarBlock);
  if (!block) return tar.buffer.length > 0 ? endsEarly() : null;
  const header = decoded(block);
  if (header?.nullBlock) return null;
  if (!header?.cksumValid) return broken('does not contain a tar file, or has a damaged header');
  return header;
}

/** Decodes a header block. Returns null if the library throws because a number in it is too large. */
function decoded(block: Buffer): Header | null {
  try {
    return new Header(block);
  } catch {
    return null;
  }
}

async function metadata(tar: ByteReader, size: number): Promise<Buffer> {
  if (size > MAX_METADATA_BYTES) broken(`has a header longer than ${formatBytes(MAX_METADATA_BYTES)}`);
  const padded = (await tar.exactly(Math.ceil(size / tarBlock) * tarBlock)) ?? endsEarly();
  return padded.subarray(0, size);
}

/** Parses the records of a pax header, `{length} {key}={value}\n` (POSIX.1-2024, pax, "pax Extended Header"). */
function paxRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const [, digits = ''] =
      /^(\d{1,6}) /.exec(bytes.toString('latin1', at, at + 7)) ?? broken('has a damaged pax header');
    const end = at + Number(digits);
    if (end > bytes.length) broken('has a damaged pax header');
    const record = text(bytes.subarray(at + digits.length + 1, end));
    const [, key = '', value = ''] = /^([^=]+)=(.*)\n$/s.exec(record) ?? broken('has a damaged pax header');
    records.set(key, value);
    at = end;
  }
  return records;
}

const text = (bytes: Buffer) =>
  isUtf8(bytes) ? bytes.toString('utf8') : broken('has a header that is not valid UTF-8');

const BUFFERED_UP_TO = 64 * 1024;

const zeros = Buffer.alloc(8192);

const FILE_TYPES = ['File', 'OldFile', 'ContiguousFile'];
const TYPE_NAMES: Readonly<Record<string, string>> = {
  Link: 'a hard link',
  SymbolicLink: 'a link',
  CharacterDevice: 'a device',
  BlockDevice: 'a device',
  FIFO: 'a pipe',
};

/** Yields the regular files of a tar.gz body as it arrives. Throws `invalid_path` for anything but folders. */
export async function* tarBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<UploadedEntry> {
  const limit = maxArchiveBytes(limits);
  const broken = (why: string) => refuseArchive('tar.gz', why);
  const tar = new ByteReader(gunzip(request, checkedFormat(bodyChunks(request, limit), 'tar.gz'), limit, broken));
  try {
    const fileCount = yield* files(tar, limits);
    await assertZeros(tar);
    if (fileCount === 0) refuseEmptyArchive();
  } finally {
    await tar.close();
  }
}

async function* files(tar: ByteReader, limits: DeployLimits): AsyncGenerator<UploadedEntry, number> {
  let fileCount = 0;
  let otherCount = 0;
  for (let member = await nextMember(tar); member; member = await nextMember(tar)) {
    const { path, size, type } = member;
    const field = `files[${fileCount}]`;
    if (type === 'Directory' || path.endsWith('/')) {
      if (size > 0) refuseArchive('tar.gz', 'has a folder entry with content');
    } else if (!FILE_TYPES.includes(type)) {
      refuseNonFile(path, field, TYPE_NAMES[type] ?? 'not a regular file');
    }
    const isFile = FILE_TYPES.includes(type) && !path.endsWith('/');
    const leftOut = isFile ? explainOmission(path) : null;
    // Also counts folders and ignored members, because an archive without files could otherwise be endless.
    if (!isFile || leftOut)
      if (++otherCount > limits.files + 1000)
        refuse('too_many_files', 'The archive contains too many folders and ignored files.');

    const buffered = size > BUFFERED_UP_TO || leftOut ? null : ((await tar.exactly(size)) ?? endsEarly());
    const content = buffered ?? tar.chunks(size, endsEarly);
    if (leftOut) yield { path, field, leftOut };
    else if (isFile) {
      fileCount++;
      yield { path, field, inArchive: true, content };
    }
    // Skips content that the caller did not read, because the next member follows it.
    if (!(content instanceof Uint8Array)) for await (const _ of content);
    (await tar.exactly(-size & (tarBlock - 1))) ?? endsEarly();
  }
  return fileCount;
}

/** Throws if the archive is followed by anything but zeros, so that a second archive is not ignored. */
async function assertZeros(tar: ByteReader): Promise<void> {
  do {
    while (tar.buffer.length > 0) {
      const next = tar.take(zeros.length);
      if (!next.equals(zeros.subarray(0, next.length)))
        refuseArchive('tar.gz', 'has data after the end of the archive');
    }
  } while (await tar.more());
}
