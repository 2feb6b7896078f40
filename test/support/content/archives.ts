import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { Header } from 'tar';

type TarMember = {
  readonly path: string;
  readonly content?: string | Buffer;
  readonly type?: Header['type'];
  readonly linkpath?: string;
  /** Size in the header, if it differs from the size of the content. */
  readonly size?: number;
};

/** Builds a tar byte by byte, so that it can contain anything. */
export function tarOf(members: readonly TarMember[], end = Buffer.alloc(1024)): Buffer {
  const blocks = members.flatMap(({ path, content = '', type = 'File', linkpath, size }) => {
    const bytes = Buffer.from(content);
    const header = new Header({
      path,
      type,
      size: size ?? bytes.length,
      mode: 0o644,
      mtime: new Date(0),
      ...(linkpath && { linkpath }),
    });
    header.encode();
    return [header.block ?? Buffer.alloc(512), bytes, Buffer.alloc(-bytes.length & 511)];
  });
  return Buffer.concat([...blocks, end]);
}

export const tarGzOf = (...given: Parameters<typeof tarOf>) => gzipSync(tarOf(...given));

export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

type ZipMember = {
  readonly path: string | Buffer;
  readonly content?: string | Buffer;
  readonly stored?: boolean;
  /** Unix mode, such as 0o120777 for a symbolic link. */
  readonly mode?: number;
  readonly flags?: number;
  /** Operating system that created the entry: 0 is MS-DOS, 3 is Unix. */
  readonly maker?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly size?: number;
  /** MS-DOS attributes: 0x10 marks a folder. */
  readonly attributes?: number;
  /** Number of the member whose local header this entry points to. Defaults to the entry's own member. */
  readonly at?: number;
};

/** Builds a zip byte by byte, so that it can contain anything. `count` is the number of files in its end record. */
export function zipOf(members: readonly ZipMember[], { count = members.length, end = Buffer.alloc(0) } = {}): Buffer {
  const pieces: Buffer[] = [];
  const offsets: number[] = [];
  const directory: Buffer[] = [];
  let length = 0;
  for (const {
    path,
    content = '',
    stored = false,
    mode = 0o100644,
    flags = 0x800,
    maker = 3,
    attributes = 0,
    at,
    ...lies
  } of members) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const data = stored ? bytes : deflateRawSync(bytes);
    const { method = stored ? 0 : 8, crc = crc32(bytes), size = bytes.length } = lies;
    const local = Buffer.alloc(30);
    const central = Buffer.alloc(46);
    local.writeUInt32LE(0x04034b50, 0);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((maker << 8) | 0x14, 4);
    for (const [header, from] of [
      [local, 4],
      [central, 6],
    ] as const) {
      header.writeUInt16LE(20, from);
      header.writeUInt16LE(flags, from + 2);
      header.writeUInt16LE(method, from + 4);
      header.writeUInt32LE(crc, from + 10);
      header.writeUInt32LE(data.length, from + 14);
      header.writeUInt32LE(size, from + 18);
      header.writeUInt16LE(name.length, from + 22);
    }
    if (at === undefined) {
      offsets.push(length);
      pieces.push(local, name, data);
      length += 30 + name.length + data.length;
    } else offsets.push(offsets[at] ?? 0);
    central.writeUInt32LE(((mode << 16) | attributes) >>> 0, 38);
    central.writeUInt32LE(offsets.at(-1) ?? 0, 42);
    directory.push(central, name);
  }
  const listed = Buffer.concat(directory);
  const ending = Buffer.alloc(22);
  ending.writeUInt32LE(0x06054b50, 0);
  ending.writeUInt16LE(count, 8);
  ending.writeUInt16LE(count, 10);
  ending.writeUInt32LE(listed.length, 12);
  ending.writeUInt32LE(length, 16);
  return Buffer.concat([...pieces, listed, ending, end]);
}
