import type { IncomingMessage } from 'node:http';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { refuse } from '../../../../kernel/refusal.js';
import type { DeployLimits } from '../../deploy-limits.js';
import { SpoolFile } from '../../spool/spool-file.js';
import { bodyChunks } from '../body-chunks.js';
import type { UploadedEntry } from '../uploaded-entry.js';
import { maxArchiveBytes, reasonToLeaveOut, refuseArchive, refuseNonFile } from './archive-member.js';
import { inflate } from './inflate.js';
import { directoryOf, type ZipMember } from './zip-directory.js';

const STORED = 0;
const DEFLATED = 8;

const broken = (why: string) => refuseArchive('zip', why);

/**
 * Reads a zip body (`application/zip`). It is spooled to an unnamed file in `folder` first, because a zip’s directory
 * is at its end. Yields the files in the order in which they are stored. Refuses overlapping files, because a few bytes
 * could otherwise represent any number of files.
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
    for await (const chunk of chunks) await spoolFile.append([chunk]);
    const { zip, members } = await directoryOf(spoolFile, limits);
    let index = 0;
    let free = 0;
    for (const member of members) {
      const field = `files[${index}]`;
      if (member.nonFileKind) refuseNonFile(member.path, field, member.nonFileKind);
      free = await endOf(zip, member.entry, free);
      const leftOut = reasonToLeaveOut(member.path);
      if (leftOut) yield { path: member.path, field, leftOut };
      else {
        index++;
        yield { path: member.path, field, inArchive: true, content: contentOf(request, zip, member, limit) };
      }
    }
    if (index === 0) refuse('no_files', 'The archive contains no files.');
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

/** Yields the content of a member, and checks its size and CRC-32 against the directory. */
async function* contentOf(
  request: IncomingMessage,
  zip: ZipFile,
  { entry, path }: ZipMember,
  limit: number,
): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) broken(`contains an encrypted file, “${path}”`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    broken(`contains a file with an unsupported compression method, “${path}”`);

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
  if (size !== entry.uncompressedSize) broken(`contains a file whose size differs from the declared one, “${path}”`);
  if (sum !== entry.crc32) broken(`contains a damaged file, “${path}”`);
}

async function orBroken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch {
    return broken('is damaged');
  }
}
