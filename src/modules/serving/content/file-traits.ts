import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { readErrorCode } from '../../../kernel/faults/error-code.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { ContentCache, WHOLE } from './content-cache.js';
import { type StoredFile, streamFile } from './file-bytes.js';

const INSPECTED_BYTES = 65_536;
/** Number of bytes to decompress to recognize Brotli. Other content fails to decompress within this many bytes. */
const BROTLI_BYTES = 4_096;
const MAX_INFLATED_BYTES = 1_048_576;
/**
 * Number of bytes in which to search a page for its charset. Browsers search the first 1,024 bytes (WHATWG HTML,
 * “prescan a byte stream”).
 */
const DECLARED_WITHIN = 1_024;

const REMEMBERED = 50_000;

export type StoredEncoding = 'gzip' | 'br';

export type FileTraits = {
  readonly encoding: StoredEncoding | null;
  /** Charset of a text file. Null if the text is not UTF-8 and declares no charset. */
  readonly charset: string | null;
};

@Injectable()
export class FileTraitReader {
  readonly #known = new LRUCache<string, FileTraits>({ max: REMEMBERED });

  constructor(
    private readonly contentCache: ContentCache,
    private readonly blobs: BlobStore,
  ) {}

  /** Detects the encoding and charset of a file. Rejects with the same errors as `BlobStore`. */
  async of(file: StoredFile): Promise<FileTraits> {
    const known = this.#known.get(file.sha256);
    if (known) return known;
    const traits = traitsOf(await this.#start(file));
    this.#known.set(file.sha256, traits);
    return traits;
  }

  async #start(file: StoredFile): Promise<Buffer> {
    if (file.size === 0) return Buffer.alloc(0);
    if (file.size <= WHOLE) return (await this.contentCache.whole(file)).buffer;
    const pieces: Buffer[] = [];
    const last = Math.min(file.size, INSPECTED_BYTES) - 1;
    for await (const piece of streamFile(this.blobs, file, { first: 0, last })) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}

export const traitsOf = (start: Buffer): FileTraits => ({ encoding: encodingOf(start), charset: charsetOf(start) });

function encodingOf(start: Buffer): StoredEncoding | null {
  if (start[0] === 0x1f && start[1] === 0x8b) return 'gzip';
  return isBrotli(start.subarray(0, BROTLI_BYTES)) ? 'br' : null;
}

/**
 * Recognize Brotli by decompressing the content: it has no signature, but decompressing other content almost always
 * fails.
 */
function isBrotli(start: Buffer): boolean {
  if (start.length < 4) return false;
  try {
    const plain = brotliDecompressSync(start, {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      maxOutputLength: MAX_INFLATED_BYTES,
    });
    return plain.length > 0;
  } catch (error) {
    return readErrorCode(error) === 'ERR_BUFFER_TOO_LARGE';
  }
}

function charsetOf(start: Buffer): string | null {
  const declared = declaredCharset(start.subarray(0, DECLARED_WITHIN).toString('latin1'));
  // Check for ISO-2022-JP first: it consists of ASCII bytes, so it is also valid UTF-8.
  if (declared === 'iso-2022-jp' && start.includes(0x1b)) return declared;
  return isUtf8(wholeCharacters(start)) ? 'utf-8' : declared;
}

/** Removes an incomplete UTF-8 character from the end of a truncated text. */
function wholeCharacters(start: Buffer): Buffer {
  let end = start.length;
  while (end > 0 && end > start.length - 4 && ((start[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return end > 0 && (start[end - 1] ?? 0) >= 0xc0 && !isUtf8(start.subarray(end - 1))
    ? start.subarray(0, end - 1)
    : start;
}

/** Returns the charset that a page or style sheet declares, by its name in the Encoding Standard. */
function declaredCharset(start: string): string | null {
  const tags = start.match(/<meta\s[^>]{1,300}/gi) ?? [];
  const inTag = tags.map((tag) => /charset[ \t]{0,9}=[ \t]{0,9}["']?([\w:.-]{1,40})/i.exec(tag)?.[1]).find(Boolean);
  const label = inTag ?? /^@charset "([\w:.-]{1,40})";/.exec(start)?.[1] ?? '';
  try {
    return label === '' ? null : new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/**
 * Matches precompressed files of build tools, such as `game.wasm.br`, which pages request with the compression
 * extension.
 */
const COMPRESSED = /^(.*\.(?:m?js|wasm|data|css|symbols\.json))\.(?:gz|br)$/i;

/**
 * Returns the path without its compression extension, for `.unityweb` files and precompressed files that pages load,
 * such as `game.wasm.br`. Returns null for other files, including archives such as `archive.tar.gz`.
 */
export function uncompressedPath(path: string): string | null {
  const unity = /^(.*)\.unityweb$/i.exec(path)?.[1];
  if (unity !== undefined) return unity;
  if (/\.svgz$/i.test(path)) return path.slice(0, -1);
  return COMPRESSED.exec(path)?.[1] ?? null;
}
