import type { IncomingMessage } from 'node:http';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { plural } from '../../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { explainOmission } from '../../checks/omitted-files.js';
import { assertPathLength } from '../../checks/site-path.js';
import { type DeployLimits, fileCountText, refuseFileCount } from '../../deploy-limits.js';
import { SpoolFile } from '../../spool/spool-file.js';
import { bodyChunks, type UploadedEntry } from '../body-chunks.js';
import { inflate } from './inflate.js';
import { memberName } from './member-name.js';
import { checkedFormat, maxArchiveBytes, refuseArchive, refuseEmptyArchive, refuseNonFile } from './stored-members.js';

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;
const PIPE = 0o010000;
/** MS-DOS attribute that marks a folder (APPNOTE.TXT, section 4.4.15). */
const DOS_FOLDER = 0x10;

/** A member of a zip. `nonFileKind` describes it ("a link"), or is null for a regular file. */
type ZipMember = {
  readonly entry: Entry;
  readonly path: string;
  readonly nonFileKind: string | null;
  readonly warning: string | null;
};

/** Reads a zip’s directory. Returns all members except folders, in the order in which they are stored. */
async function readZipDirectory(
  spoolFile: SpoolFile,
  limits: DeployLimits,
): Promise<{ zip: ZipFile; members: ZipMember[] }> {
  const members: ZipMember[] = [];
  let folders = 0;
  let named = 0;
  try {
    const zip = await fromFdPromise(spoolFile.fd, { decodeStrings: false, validateEntrySizes: true, autoClose: false });
    const entries = zip.entryCount > 0 ? zip.eachEntry() : [];
    for await (const entry of entries) {
      const { path, warning } = memberName(entry);
      assertPathLength(path, `files[${members.length}].path`);
      named += path.length;
      if (named > limits.files * 1024 + 1_048_576) broken('has file names whose total length is too large');
      if (path.endsWith('/') || isFolder(entry)) {
        if (entry.uncompressedSize > 0) broken('has a folder entry with content');
        if (++folders > limits.files + 1000) refuse('too_many_files', 'The archive contains too many folders.');
      } else if (
        members.push({ entry: lightened(entry), path, nonFileKind: kindOf(entry), warning }) >
        limits.files + 1000
      )
        refuseEntryCount(zip.entryCount, limits);
    }
    await assertEnd(spoolFile, Number(zip.readEntryCursor));
    members.sort((a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader);
    return { zip, members };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const isBegun = (await spoolFile.at(0, 4)).toString('latin1') === 'PK\x03\x04';
    return isBegun
      ? refuseArchive('zip', 'is damaged, or its end is missing', 'Make the archive again, and send the complete file.')
      : broken('is damaged or is not a zip file');
  }
}

/** Reports whether the attributes mark a folder. Some programs leave out the slash at the end of a folder’s name. */
const isFolder = ({ externalFileAttributes: attributes }: Entry): boolean => {
  const type = (attributes >>> 16) & FILE_TYPE;
  return type === FOLDER || (type === 0 && (attributes & DOS_FOLDER) !== 0);
};

/** Removes an entry’s name, comment and extra fields to save memory: each can have 64 KiB. */
function lightened(entry: Entry): Entry {
  const bytes = { fileNameRaw: nothing, extraFieldRaw: nothing, fileCommentRaw: nothing };
  return Object.assign(entry, bytes, { fileName: '', fileComment: '', comment: '', extraFields: [] });
}

const nothing = Buffer.alloc(0);

/** Returns the kind of an entry that is not a file. The upper half of the attributes is the Unix mode, if any. */
function kindOf(entry: Entry): string | null {
  switch ((entry.externalFileAttributes >>> 16) & FILE_TYPE) {
    case 0:
    case REGULAR:
      return null;
    case LINK:
      return 'a link';
    case PIPE:
      return 'a pipe';
    default:
      return 'a device';
  }
}

/** Throws if the zip contains more entries than it declares. Otherwise, the additional files would be lost silently. */
async function assertEnd(spoolFile: SpoolFile, at: number): Promise<void> {
  const next = await spoolFile.at(at, 4);
  if (next.toString('latin1') === 'PK\x01\x02') broken('contains more files than it declares');
}

/** Refuses an archive whose directory has too many entries to read all of them. */
function refuseEntryCount(count: number, limits: DeployLimits): never {
  const detail = `The archive has ${plural(count, 'entry', 'entries')}, but a deploy can have at most ${plural(limits.files, 'file')}.`;
  return refuse('too_many_files', detail, [], fileCountText(limits).suggestion);
}

const STORED = 0;
const DEFLATED = 8;
const DEFLATED_64 = 9;

const broken = (why: string) => refuseArchive('zip', why);

/**
 * Yields the files of a zip body (`application/zip`) in stored order. First spools the body to an unnamed file in
 * `folder`, because the directory of a zip is at its end. Refuses overlapping files, because a few bytes could
 * otherwise be part of any number of files.
 */
export async function* zipBody(
  request: IncomingMessage,
  limits: DeployLimits,
  folder: string,
): AsyncGenerator<UploadedEntry> {
  const limit = maxArchiveBytes(limits);
  const chunks = bodyChunks(request, limit);
  const spoolFile = await SpoolFile.open(folder);
  try {
    for await (const chunk of checkedFormat(chunks, 'zip')) await spoolFile.append([chunk]);
    const { zip, members } = await readZipDirectory(spoolFile, limits);
    const sent = members.filter(({ path }) => explainOmission(path) === null).length;
    if (sent > limits.files) refuseFileCount(limits, sent);
    let index = 0;
    let free = 0;
    for (const member of members) {
      const field = `files[${index}]`;
      if (member.nonFileKind) refuseNonFile(member.path, field, member.nonFileKind);
      free = await endOf(zip, member.entry, free);
      const leftOut = explainOmission(member.path);
      if (leftOut) yield { path: member.path, field, leftOut };
      else {
        index++;
        const content = contentOf(request, zip, member, limit);
        const { path, warning } = member;
        yield { path, field, inArchive: true, content, ...(warning !== null && { warning }) };
      }
    }
    if (index === 0) refuseEmptyArchive();
  } finally {
    await spoolFile.close();
  }
}

/** Returns the offset at which an entry ends. `from` is the end of the previous entry. */
async function endOf(zip: ZipFile, entry: Entry, from: number): Promise<number> {
  if (entry.relativeOffsetOfLocalHeader < from) broken('has overlapping files');
  const { fileDataStart } = await orBroken(zip.readLocalFileHeaderPromise(entry, { minimal: true }));
  return fileDataStart + entry.compressedSize;
}

/** Yields a member’s content, and checks its size and CRC-32 against the directory. */
async function* contentOf(
  request: IncomingMessage,
  zip: ZipFile,
  { entry, path }: ZipMember,
  limit: number,
): AsyncGenerator<Buffer> {
  if (entry.isEncrypted())
    refuseArchive('zip', `contains an encrypted file, “${path}”`, 'Make the archive again, without a password.');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    refuseArchive(
      'zip',
      `contains a file with an unsupported compression method, “${path}”`,
      entry.compressionMethod === DEFLATED_64
        ? 'Make the archive again without “deflate64”, which Windows uses for large files: for example, with tar -a -cf site.zip, or with 7-Zip.'
        : 'Make the archive again with the method “deflate”, which all archive programs support.',
    );

  const raw = await orBroken(zip.openReadStreamPromise(entry, { decodeFileData: false }));
  const chunks: AsyncIterable<Buffer> =
    entry.compressionMethod === STORED ? raw : inflate(request, raw, createInflateRaw(), limit, broken);
  let size = 0;
  let sum = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      sum = crc32(chunk, sum);
      if (size > entry.uncompressedSize) break;
      yield chunk;
    }
  } finally {
    raw.destroy();
  }
  if (size !== entry.uncompressedSize) broken(`contains a file whose size differs from its declared size, “${path}”`);
  if (sum !== entry.crc32) broken(`contains a damaged file, “${path}”`);
}

async function orBroken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch {
    return broken('is damaged');
  }
}
