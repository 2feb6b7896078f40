import type { IncomingMessage } from 'node:http';
import { refuse } from '../../../../kernel/refusal.js';
import type { DeployLimits } from '../../deploy-limits.js';
import { bodyChunks } from '../body-chunks.js';
import { ByteReader } from '../byte-reader.js';
import type { UploadedEntry } from '../uploaded-entry.js';
import { maxArchiveBytes, reasonToLeaveOut, refuseArchive, refuseNonFile } from './archive-member.js';
import { gunzip } from './inflate.js';
import { endsEarly, nextMember, tarBlock } from './tar-member.js';

/** Content up to this size, in bytes, is yielded as one chunk. */
const BUFFERED_UP_TO = 64 * 1024;

const zeros = Buffer.alloc(8192);

const FILE_TYPES = ['File', 'OldFile', 'ContiguousFile'];
const TYPE_NAMES: Readonly<Record<string, string>> = {
  Link: 'a link',
  SymbolicLink: 'a link',
  CharacterDevice: 'a device',
  BlockDevice: 'a device',
  FIFO: 'a pipe',
};

/**
 * Parses a tar.gz body (`application/gzip`) as it arrives. Yields regular files, skips folders, and refuses anything
 * else with `invalid_path`.
 */
export async function* tarBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<UploadedEntry> {
  const limit = maxArchiveBytes(limits);
  const broken = (why: string) => refuseArchive('tar.gz', why);
  const tar = new ByteReader(gunzip(request, bodyChunks(request, limit), limit, broken));
  try {
    const fileCount = yield* files(tar, limits);
    await assertZeros(tar);
    if (fileCount === 0) refuse('no_files', 'The archive contains no files.');
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
    const leftOut = isFile ? reasonToLeaveOut(path) : null;
    // Limits folders and ignored members too, because an archive without files could otherwise be endless.
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
    // Skips content that was not read, because the next member follows it.
    if (!(content instanceof Uint8Array)) for await (const _ of content);
    (await tar.exactly(-size & (tarBlock - 1))) ?? endsEarly();
  }
  return fileCount;
}

/**
 * Refuses data other than zeros after the end, because a second archive appended to the first would be lost silently.
 */
async function assertZeros(tar: ByteReader): Promise<void> {
  do {
    while (tar.buffer.length > 0) {
      const next = tar.take(zeros.length);
      if (!next.equals(zeros.subarray(0, next.length)))
        refuseArchive('tar.gz', 'has data after the end of the archive');
    }
  } while (await tar.more());
}
