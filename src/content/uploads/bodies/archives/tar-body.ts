import type { IncomingMessage } from 'node:http';
import { Header } from 'tar';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { refuse } from '../../../../kernel/refusal.js';
import { explainOmission } from '../../checks/omitted-files.js';
import type { DeployLimits } from '../../deploy-limits.js';
import { bodyChunks, type UploadedEntry } from '../body-chunks.js';
import { ByteReader } from '../byte-reader.js';
import { gunzip } from './inflate.js';
import {
  checkedFormat,
  maxArchiveBytes,
  refuseArchive,
  refuseEmptyArchive,
  refuseNonFile,
  WITHOUT_SPARSE_FILES,
} from './stored-members.js';

/** Size of a block. Headers and contents are padded to whole blocks. */
const tarBlock = 512;
/** Maximum size of an extension header. Valid paths are far shorter. */
const MAX_METADATA_BYTES = 64 * 1024;

type TarMember = { readonly path: string; readonly size: number; readonly type: Header['type'] };

const broken = (why: string) => refuseArchive('tar.gz', why);
const WITH_TAR = 'Make the archive with tar: tar -czf site.tar.gz -C site .';
const endsEarly = () => broken('is incomplete');

/**
 * Reads the headers of the next member, including POSIX pax headers and GNU long names. Returns null at the end of the
 * archive.
 */
async function nextMember(tar: ByteReader, isFirst: boolean): Promise<TarMember | null> {
  const overrides = new Map<string, string>();
  for (let count = 0; ; count++) {
    const header = await nextHeader(tar, isFirst && count === 0);
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
        // A global pax header applies to all entries. Git stores a comment in it, which is ignored like most records.
        // Paths and sizes in a global header are refused.
        if (paxRecords(await metadata(tar, size)).size > 0)
          broken('has a global header that sets the path or size of its entries');
        break;
      case 'NextFileHasLongPath':
      case 'OldGnuLongPath':
        overrides.set('path', (await metadata(tar, size)).toString('utf8').split('\0', 1)[0] ?? '');
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
  const isSparse = [...overrides.keys()].some((key) => key.startsWith('GNU.sparse.'));
  if (isSparse) refuseArchive('tar.gz', 'contains a sparse file', WITHOUT_SPARSE_FILES);
  const sizeOverride = overrides.get('size');
  if (sizeOverride !== undefined && !/^\d{1,15}$/.test(sizeOverride)) broken('has an entry with an invalid size');
  const named = overrides.get('path') ?? path;
  if (named.includes('\ufffd')) refuseEncoding(named);
  return { path: named, size: sizeOverride === undefined ? size : Number(sizeOverride) };
}

const refuseEncoding = (path: string): never => {
  const shown = path.replace(/\p{Control}/gu, '\ufffd').slice(0, 200);
  return refuse('invalid_path', `The archive contains a path that is not valid UTF-8: “${shown}”.`, [], {
    suggestion:
      'Rename the file, or convert all names: convmv -r -f latin1 -t utf8 --notest FOLDER. Then make the archive again.',
  });
};

const describesMember = (key: string) => key === 'path' || key === 'size' || key.startsWith('GNU.sparse.');

async function nextHeader(tar: ByteReader, isFirst: boolean): Promise<Header | null> {
  const block = await tar.exactly(tarBlock);
  if (!block && tar.buffer.length === 0) return null;
  const header = block && decoded(block);
  if (header?.nullBlock) return null;
  if (header?.cksumValid) return header;
  if (isFirst) return refuseArchive('tar.gz', 'does not contain a tar file, or has a damaged header', WITH_TAR);
  return block ? broken('has a damaged header') : endsEarly();
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

/**
 * Parses the records of a pax header that describe the path, size or layout of an entry, `{length} {key}={value}\n`
 * (POSIX.1-2024, pax, "pax Extended Header").
 */
function paxRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const [, digits = ''] =
      /^(\d{1,6}) /.exec(bytes.toString('latin1', at, at + 7)) ?? broken('has a damaged pax header');
    const end = at + Number(digits);
    if (end > bytes.length) broken('has a damaged pax header');
    const record = bytes.subarray(at + digits.length + 1, end);
    const [, key = '', value = ''] =
      /^([^=]+)=(.*)\n$/s.exec(record.toString('latin1')) ?? broken('has a damaged pax header');
    // Other records, such as extended attributes, can have binary values.
    if (describesMember(key)) records.set(key, Buffer.from(value, 'latin1').toString('utf8'));
    at = end;
  }
  return records;
}

const MAX_BUFFERED_BYTES = 64 * 1024;

const zeros = Buffer.alloc(8192);

const FILE_TYPES = ['File', 'OldFile', 'ContiguousFile'];
/** Types of entries that are ignored. In an incremental archive, the content of a folder entry is a list of names. */
const IGNORED_TYPES = ['Directory', 'GNUDumpDir', 'TapeVolumeHeader'];
const TYPE_NAMES: Readonly<Record<string, string>> = {
  Link: 'a hard link',
  SymbolicLink: 'a link',
  CharacterDevice: 'a device',
  BlockDevice: 'a device',
  FIFO: 'a pipe',
  SparseFile: 'a sparse file',
  ContinuationFile: 'the continuation of a file from another archive',
};

/**
 * Yields the regular files of a tar.gz body as it arrives. Ignores folders, and throws `invalid_path` for other
 * entries, such as links.
 */
export async function* tarBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<UploadedEntry> {
  const limit = maxArchiveBytes(limits);
  const broken = (why: string) => refuseArchive('tar.gz', why, WITH_TAR);
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
  for (let member = await nextMember(tar, true); member; member = await nextMember(tar, false)) {
    const { path, size, type } = member;
    const field = `files[${fileCount}]`;
    if (IGNORED_TYPES.includes(type) || path.endsWith('/')) {
      if (size > 0 && type !== 'GNUDumpDir') refuseArchive('tar.gz', 'has a folder entry with content');
    } else if (!FILE_TYPES.includes(type)) {
      refuseNonFile(path, field, TYPE_NAMES[type] ?? 'not a regular file');
    }
    const isFile = FILE_TYPES.includes(type) && !path.endsWith('/');
    const leftOut = isFile ? explainOmission(path) : null;
    // Count folders and ignored members, too. Otherwise, an archive without files could be endless.
    if (!isFile || leftOut)
      if (++otherCount > limits.files + 1000)
        refuse('too_many_files', 'The archive contains too many folders and ignored files.');

    const buffered = size > MAX_BUFFERED_BYTES || leftOut ? null : ((await tar.exactly(size)) ?? endsEarly());
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

/** Throws if the archive is followed by anything but zeros. Otherwise, a second archive would be silently ignored. */
async function assertZeros(tar: ByteReader): Promise<void> {
  do {
    while (tar.buffer.length > 0) {
      const next = tar.take(zeros.length);
      if (!next.equals(zeros.subarray(0, next.length)))
        refuseArchive(
          'tar.gz',
          'has data after the end of the archive',
          'Put all files into one archive instead of joining several archives.',
        );
    }
  } while (await tar.more());
}
