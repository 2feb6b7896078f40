import { Header, Pax } from 'tar';

export type PackedMember = { readonly path: string } & (
  | { readonly size: number; readonly isExecutable: boolean; readonly content: () => AsyncIterable<Uint8Array> }
  | { readonly link: string }
);

const BLOCK = 512;
/** An archive ends with two empty blocks (POSIX.1-2017, pax, “ustar Interchange Format”). */
const END = Buffer.alloc(2 * BLOCK);
const EPOCH = new Date(0);

/**
 * Packs members in the given order. The same members always give the same bytes, because the archive contains no owners
 * or times. Each file is only read when the archive’s reader reaches it. Throws if a file does not have the declared
 * size.
 */
export async function* packTar(members: Iterable<PackedMember>): AsyncGenerator<Uint8Array> {
  for (const member of members) {
    yield headOf(member);
    if ('link' in member) continue;
    let left = member.size;
    for await (const piece of member.content()) {
      left -= piece.length;
      if (left < 0) break;
      yield piece;
    }
    if (left !== 0) throw new Error(`${member.path} changed while it was being archived.`);
    const rest = member.size % BLOCK;
    if (rest > 0) yield Buffer.alloc(BLOCK - rest);
  }
  yield END;
}

function headOf(member: PackedMember): Buffer {
  const data = {
    ...{ path: member.path, uid: 0, gid: 0, uname: '', gname: '', mtime: EPOCH },
    ...('link' in member
      ? { type: 'SymbolicLink' as const, linkpath: member.link, size: 0, mode: 0o777 }
      : { type: 'File' as const, size: member.size, mode: member.isExecutable ? 0o755 : 0o644 }),
  };
  const block = Buffer.alloc(BLOCK);
  const needsPax = new Header(data).encode(block);
  if (!needsPax) return block;
  const { path, size } = data;
  return Buffer.concat([new Pax({ path, size, ...('link' in member && { linkpath: member.link }) }).encode(), block]);
}
