import { constants } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchivedFolder, UnarchivableOutputError } from '../../kernel/ports/outside/builder.js';
import { type PackedMember, packTar } from '../archive/tar.js';
import { whyOutside } from './links.js';
import { outputContent, outputFiles } from './output-files.js';

/** Control characters are rejected, because a newline in a path would end its pax record. */
const CONTROL = /\p{Control}/u;

/**
 * Packs the given texts, followed by folders of a work tree, into a tar archive. Nothing may write to the work tree
 * meanwhile. Files are sorted by the bytes of their paths. If several folders contain a file with the same path, the
 * file in the last folder is used. Links are kept if their target is inside the archive. Throws
 * `UnarchivableOutputError` for other links, and for anything that is neither a file nor a link.
 */
export async function* outputArchive(
  root: string,
  texts: Readonly<Record<string, string>>,
  folders: readonly ArchivedFolder[],
): AsyncGenerator<Uint8Array> {
  const members = new Map<string, PackedMember>();
  for (const { folder, at } of folders)
    for (const { path, kind } of (await outputFiles(root, folder)) ?? []) {
      if (path === null || CONTROL.test(path))
        throw new UnarchivableOutputError(`A file in ${folder} has a name with control characters or invalid UTF-8.`);
      if (kind === 'other') throw new UnarchivableOutputError(`${folder}/${path} is not a regular file.`);
      const member = await memberOf(join(root, folder, path), `${at}/${path}`, kind);
      members.set(member.path, member);
    }
  const links = new Map([...members].flatMap(([path, member]) => ('link' in member ? [[path, member.link]] : [])));
  for (const path of links.keys()) {
    const why = whyOutside(path, links);
    if (why !== null) throw new UnarchivableOutputError(`${path} cannot be included: ${why}.`);
  }
  const sorted = [...members.values()]
    .map((member) => ({ member, key: Buffer.from(member.path) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ member }) => member);
  yield* packTar([...Object.entries(texts).map(textMember), ...sorted]);
}

async function memberOf(place: string, path: string, kind: 'file' | 'link'): Promise<PackedMember> {
  if (kind === 'link') return { path, link: await readlink(place) };
  const { size, mode } = await lstat(place);
  return { path, size, isExecutable: (mode & constants.S_IXUSR) !== 0, content: () => outputContent(place) };
}

function textMember([path, text]: readonly [string, string]): PackedMember {
  const bytes = Buffer.from(text);
  return { path, size: bytes.length, isExecutable: false, content: () => once(bytes) };
}

async function* once(bytes: Buffer) {
  yield bytes;
}
