import { isUtf8 } from 'node:buffer';
import { Header } from 'tar';
import { refuse } from '../../../kernel/refusal.js';
import type { ByteReader } from '../byte-reader.js';
import { brokenArchive } from './archive-member.js';

/** Bytes; contents are padded to whole blocks. */
export const tarBlock = 512;
/** Of headers that say a name: far more than any path that is taken. */
const METADATA_UP_TO = 64 * 1024;

export type TarMember = { readonly path: string; readonly size: number; readonly type: Header['type'] };

const broken = (why: string) => brokenArchive('tar.gz', why);
export const endsEarly = () => broken('ends too early');

/**
 * The next member, its content not yet read; null at the end of the archive. What headers say about it that stand
 * before it (POSIX pax, GNU long names) is taken into account; npm's `tar` reads the blocks.
 */
export async function nextMember(tar: ByteReader): Promise<TarMember | null> {
  const said = new Map<string, string>();
  for (let count = 0; ; count++) {
    const header = await nextHeader(tar);
    if (!header && said.size > 0) endsEarly();
    if (!header) return null;
    if (count > 8) broken('has headers without a member');
    const { type } = header;
    const size = header.size ?? broken('has a member without a size');
    switch (type) {
      case 'ExtendedHeader':
      case 'OldExtendedHeader':
        for (const [key, value] of paxRecords(await metadata(tar, size))) said.set(key, value);
        break;
      case 'GlobalExtendedHeader':
        // Git writes a comment there. What it would say of every member has no place in a site.
        for (const key of paxRecords(await metadata(tar, size)).keys())
          if (isAbout(key)) broken('has a global header about its members');
        break;
      case 'NextFileHasLongPath':
      case 'OldGnuLongPath':
        said.set('path', text(await metadata(tar, size)).replace(/\0.*$/s, ''));
        break;
      case 'NextFileHasLongLinkpath':
        await metadata(tar, size);
        break;
      default:
        return { type, ...described(said, header.path ?? '', size) };
    }
  }
}

function described(said: ReadonlyMap<string, string>, path: string, size: number) {
  if ([...said.keys()].some((key) => key.startsWith('GNU.sparse.'))) broken('has a sparse file');
  const saidSize = said.get('size');
  if (saidSize !== undefined && !/^\d{1,15}$/.test(saidSize)) broken('has a member with no sensible size');
  const named = said.get('path') ?? path;
  if (named.includes('\ufffd')) refuse('invalid_path', 'The archive has a path that is not UTF-8.');
  return { path: named, size: saidSize === undefined ? size : Number(saidSize) };
}

const isAbout = (key: string) => key === 'path' || key === 'size' || key.startsWith('GNU.sparse.');

async function nextHeader(tar: ByteReader): Promise<Header | null> {
  const block = await tar.exactly(tarBlock);
  if (!block) return tar.buffer.length > 0 ? endsEarly() : null;
  const header = new Header(block);
  if (header.nullBlock) return null;
  if (!header.cksumValid) broken('is none, or has a damaged header');
  return header;
}

async function metadata(tar: ByteReader, size: number): Promise<Buffer> {
  if (size > METADATA_UP_TO) broken('has a header that is too long');
  const padded = (await tar.exactly(Math.ceil(size / tarBlock) * tarBlock)) ?? endsEarly();
  return padded.subarray(0, size);
}

/** POSIX.1-2024, pax, “pax Extended Header”: records of `{length} {key}={value}\n`. */
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

const text = (bytes: Buffer) => (isUtf8(bytes) ? bytes.toString('utf8') : broken('has a header that is not UTF-8'));
