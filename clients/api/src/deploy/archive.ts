import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { FolderChangedError, readFolderChange } from './folder-changed-error.js';
import type { HashedFile } from './hash-files.js';
import { SMALL_BYTES, SmallFiles } from './small-files.js';

const BLOCK = 512;
const READ_BYTES = 256 * 1024;
/** Gzip level. It compresses text almost as well as level 6, in half the time. */
const LEVEL = 4;

/**
 * Writes a tar.gz into memory, or returns null as soon as it is larger than `maxBytes`. Throws FolderChangedError if a
 * file has changed since it was hashed.
 */
export async function buildArchive(
  files: readonly HashedFile[],
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const tooLarge = new AbortController();
  try {
    await pipeline(
      gather(writeTar(files)),
      createGzip({ level: LEVEL, chunkSize: READ_BYTES }),
      async (compressed: AsyncIterable<Buffer>) => {
        for await (const chunk of compressed) {
          bytes += chunk.length;
          if (bytes > maxBytes) tooLarge.abort();
          chunks.push(chunk);
        }
      },
      { signal: tooLarge.signal },
    );
  } catch (error) {
    if (tooLarge.signal.aborted) return null;
    throw error;
  }
  return Buffer.concat(chunks);
}

/** Yields a tar archive in the POSIX pax format, which supports long and non-ASCII paths. */
export async function* writeTar(files: readonly HashedFile[]): AsyncGenerator<Buffer> {
  const small = new SmallFiles();
  for (const file of files) {
    const { path, size } = file;
    if (needsPax(path, size)) {
      const records = Buffer.from(paxRecord('path', path) + paxRecord('size', String(size)));
      yield header({ name: 'pax', size: records.length, type: 'x' });
      yield pad(records);
    }
    yield header({ name: needsPax(path, size) ? 'file' : path, size, type: '0' });
    try {
      if (size > SMALL_BYTES || small.isSlow) yield* readAsHashed(file);
      else yield await small.read(file.location, (content) => copyAsHashed(file, content));
    } catch (error) {
      throw readFolderChange(error, path);
    }
    if (size % BLOCK > 0) yield Buffer.alloc(BLOCK - (size % BLOCK));
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** Joins small pieces, because each piece is passed to another thread for compression. */
async function* gather(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < READ_BYTES) continue;
    yield Buffer.concat(waiting, bytes);
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

function copyAsHashed({ path, size, sha256 }: HashedFile, content: Buffer): Buffer {
  const isSame = content.length === size && createHash('sha256').update(content).digest('hex') === sha256;
  if (!isSame) throw new FolderChangedError(path);
  return Buffer.from(content);
}

/** Reads a file, and throws FolderChangedError if it has changed since it was hashed. */
async function* readAsHashed({ path, location, size, sha256 }: HashedFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const file = await open(location);
  try {
    for (let left = size; left >= 0; ) {
      // Try to read one byte more than expected, to detect that the file has grown.
      const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, left + 1));
      const { bytesRead } = await file.read(chunk, 0, chunk.length);
      left -= bytesRead;
      if (left < 0 || (bytesRead === 0 && left > 0)) throw new FolderChangedError(path);
      if (bytesRead > 0) {
        hash.update(chunk.subarray(0, bytesRead));
        yield chunk.subarray(0, bytesRead);
      }
      if (bytesRead < chunk.length && left === 0) break;
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== sha256) throw new FolderChangedError(path);
}

const MAX_OCTAL_SIZE = 0o77777777777;
const needsPax = (path: string, size: number) => size > MAX_OCTAL_SIZE || !/^[\x20-\x7e]{1,100}$/.test(path);

/** `{length} {key}={value}\n`, where the length includes its own digits (POSIX.1-2001, pax). */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (bytes + String(length).length > length) length += 1;
  return length + rest;
}

function header({ name, size, type }: { name: string; size: number; type: string }): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${Math.min(size, MAX_OCTAL_SIZE).toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const pad = (content: Buffer) => Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
