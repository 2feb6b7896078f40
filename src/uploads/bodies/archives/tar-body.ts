import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { refuse } from '../../../kernel/refusal.js';
import type { DeployLimits } from '../../../settings.js';
import { bodyPieces } from '../body-chunks.js';
import { ByteReader } from '../byte-reader.js';
import type { Incoming } from '../uploaded-entry.js';
import { archiveUpTo, brokenArchive, notAFile, reasonToLeaveOut } from './archive-member.js';
import { inflated } from './inflate.js';
import { endsEarly, nextMember, tarBlock } from './tar-member.js';

/** Content up to this is handed on whole. */
const WHOLE_UP_TO = 64 * 1024;

const FILES = ['File', 'OldFile', 'ContiguousFile'];
const WHAT: Readonly<Record<string, string>> = {
  Link: 'a link',
  SymbolicLink: 'a link',
  CharacterDevice: 'a device',
  BlockDevice: 'a device',
  FIFO: 'a pipe',
};

/**
 * `application/gzip`: a tar.gz, read as it arrives. Regular files are taken, folders are passed over, and whatever else
 * there is, is refused.
 */
export async function* tarBody(request: IncomingMessage, limits: DeployLimits): AsyncGenerator<Incoming> {
  const limit = archiveUpTo(limits);
  const broken = (why: string) => brokenArchive('tar.gz', why);
  const tar = new ByteReader(inflated(bodyPieces(request, limit), createGunzip({ chunkSize: 65_536 }), limit, broken));
  try {
    const taken = yield* files(tar, limits);
    await expectZeros(tar);
    if (taken === 0) refuse('no_files', 'The archive has no files.');
  } finally {
    await tar.close();
  }
}

async function* files(tar: ByteReader, limits: DeployLimits): AsyncGenerator<Incoming, number> {
  let taken = 0;
  let others = 0;
  for (let member = await nextMember(tar); member; member = await nextMember(tar)) {
    const { path, size, type } = member;
    const field = `files[${taken}]`;
    if (type === 'Directory' || path.endsWith('/')) {
      if (size > 0) brokenArchive('tar.gz', 'has a folder with content');
    } else if (!FILES.includes(type)) {
      notAFile(path, field, WHAT[type] ?? 'no regular file');
    }
    const isFile = FILES.includes(type) && !path.endsWith('/');
    const leftOut = isFile ? reasonToLeaveOut(path) : null;
    // Folders and what is left out count too, or an archive of nothing could go on for ever.
    if (!isFile || leftOut) if (++others > limits.files + 1000) refuse('too_many_files');

    const whole = size > WHOLE_UP_TO || leftOut ? null : ((await tar.exactly(size)) ?? endsEarly());
    const content = whole ?? tar.pieces(size, endsEarly);
    if (leftOut) yield { path, field, leftOut };
    else if (isFile) {
      taken++;
      yield { path, field, inArchive: true, content };
    }
    // Whatever was left unread lies before the next member.
    if (!(content instanceof Uint8Array)) for await (const _ of content);
    (await tar.exactly(-size & (tarBlock - 1))) ?? endsEarly();
  }
  return taken;
}

/** After the end only zeros may follow: another archive behind it would be lost without a word. */
async function expectZeros(tar: ByteReader): Promise<void> {
  do {
    if (tar.take(tar.buffer.length).some((byte) => byte !== 0)) brokenArchive('tar.gz', 'goes on after its end');
  } while (await tar.more());
}
