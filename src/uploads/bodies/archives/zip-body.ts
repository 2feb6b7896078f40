import type { IncomingMessage } from 'node:http';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import { ScratchFile } from '../../spool/spool-file.js';
import { bodyPieces } from '../body-chunks.js';
import type { Incoming } from '../uploaded-entry.js';
import { archiveUpTo, brokenArchive, notAFile, reasonToLeaveOut } from './archive-member.js';
import { inflated } from './inflate.js';
import { directoryOf, type ZipMember } from './zip-directory.js';

const STORED = 0;
const DEFLATED = 8;

const broken = (why: string) => brokenArchive('zip', why);

/**
 * `application/zip`, by way of a file without a name in `folder`: only its end says what is in it. Files are taken in
 * the order they lie in, and may not overlap: else a few bytes could stand for any number of files.
 */
export async function* zipBody(
  request: IncomingMessage,
  limits: DeployLimits,
  folder: string,
): AsyncGenerator<Incoming> {
  const limit = archiveUpTo(limits);
  const pieces = bodyPieces(request, limit);
  const scratch = await ScratchFile.open(folder);
  try {
    for await (const piece of pieces) await scratch.append([piece]);
    const { zip, members } = await directoryOf(scratch, limits);
    let index = 0;
    let free = 0;
    for (const member of members) {
      const field = `files[${index}]`;
      if (member.what) notAFile(member.path, field, member.what);
      free = await endOf(zip, member.entry, free);
      const leftOut = reasonToLeaveOut(member.path);
      if (leftOut) yield { path: member.path, field, leftOut };
      else {
        index++;
        yield { path: member.path, field, inArchive: true, content: contentOf(zip, member, limit) };
      }
    }
    if (index === 0) refuse('no_files', 'The archive has no files.');
  } finally {
    await scratch.close();
  }
}

/** Where the bytes of an entry end. `from` is where those before it did. */
async function endOf(zip: ZipFile, entry: Entry, from: number): Promise<number> {
  if (entry.relativeOffsetOfLocalHeader < from) broken('has files that overlap');
  const { fileDataStart } = await orBroken(zip.readLocalFileHeaderPromise(entry, { minimal: true }));
  return fileDataStart + entry.compressedSize;
}

/** Proved as it is read: its size and CRC-32 are those that the directory told. */
async function* contentOf(zip: ZipFile, { entry, path }: ZipMember, limit: number): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) broken(`has an encrypted file, ${path}`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    broken(`has a file compressed by a method that few programs know, ${path}`);

  const raw = await orBroken(zip.openReadStreamPromise(entry, { decodeFileData: false }));
  const pieces: AsyncIterable<Buffer> =
    entry.compressionMethod === STORED ? raw : inflated(raw, createInflateRaw(), limit, broken);
  let size = 0;
  let sum = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      sum = crc32(piece, sum);
      if (size > entry.uncompressedSize) break;
      yield piece;
    }
  } finally {
    raw.destroy();
  }
  if (size !== entry.uncompressedSize) broken(`has a file of another size than it says, ${path}`);
  if (sum !== entry.crc32) broken(`has a damaged file, ${path}`);
}

async function orBroken<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch {
    return broken('is damaged');
  }
}
