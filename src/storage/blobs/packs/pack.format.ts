import { crc32 } from 'node:zlib';

/**
 * A pack is a sequence of records. Each record consists of this header and the content as it was received. Numbers are
 * big-endian.
 *
 * | at | bytes | |
 * |----|-------|-|
 * | 0  | 4     | `STLP` |
 * | 4  | 1     | version, 1 |
 * | 5  | 3     | zeros |
 * | 8  | 8     | length of the content in bytes |
 * | 16 | 32    | SHA-256 of the content |
 * | 48 | 4     | CRC-32 of the 48 bytes before it |
 *
 * The checksum identifies a header in constant time. The digest verifies the content.
 */
export const headerBytes = 52;

export const magic = Buffer.from('STLP', 'latin1');

const version = 1;
const checkedBytes = headerBytes - 4;

export type RecordHeader = { readonly sha256: string; readonly length: number };

export function writeHeader(target: Buffer, { sha256, length }: RecordHeader): void {
  target.fill(0, 0, headerBytes);
  magic.copy(target);
  target.writeUInt8(version, 4);
  target.writeBigUInt64BE(BigInt(length), 8);
  target.write(sha256, 16, 'hex');
  target.writeUInt32BE(crc32(target.subarray(0, checkedBytes)), checkedBytes);
}

/** Parses a record’s header. Returns undefined if `bytes` is too short or does not start with a header. */
export function readHeader(bytes: Buffer): RecordHeader | undefined {
  if (bytes.length < headerBytes || !bytes.subarray(0, 4).equals(magic) || bytes.readUInt8(4) !== version) return;
  if (bytes.readUInt32BE(checkedBytes) !== crc32(bytes.subarray(0, checkedBytes))) return;
  const length = Number(bytes.readBigUInt64BE(8));
  if (!Number.isSafeInteger(length)) return;
  return { sha256: bytes.toString('hex', 16, 48), length };
}

export type PackRecord = { readonly sha256: string; readonly bytes: Buffer };
