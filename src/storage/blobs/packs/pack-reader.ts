import { createHash, hash } from 'node:crypto';
import { plural } from '../../../kernel/output/quantities.js';
import { BlobCorruptError, BlobMissingError, type ByteRange } from '../blob-store.js';
import type { BlobIndex } from '../index/blob-index.js';
import type { RecordLocation } from '../index/record-location.js';
import { headerBytes, readHeader } from './pack.format.js';
import { type PackFolder, PackMissingError } from './pack-folder.js';

const readAtOnce = 256 * 1024;
const pieceBytes = 64 * 1024;

/** Reads content. The digest in each record’s header ensures that an outdated location never yields other content. */
export class PackReader {
  constructor(
    private readonly storage: PackFolder,
    private readonly index: BlobIndex,
  ) {}

  async read(sha256: string): Promise<Buffer> {
    const { location, bytes } = await this.#find(sha256, Number.POSITIVE_INFINITY);
    if (bytes.length < location.length || hash('sha256', bytes, 'hex') !== sha256)
      return this.#corrupt(sha256, location);
    return bytes;
  }

  async *stream(sha256: string, range?: ByteRange): AsyncGenerator<Buffer> {
    if (range) yield* this.#part(sha256, range);
    else yield* this.#whole(sha256);
  }

  async *#whole(sha256: string): AsyncGenerator<Buffer> {
    const { location, bytes: first } = await this.#find(sha256, readAtOnce);
    const digest = createHash('sha256');
    let held: Buffer | undefined;
    for await (const bytes of this.#from(sha256, location, 0, location.length, first)) {
      digest.update(bytes);
      for (const piece of pieces(bytes)) {
        if (held) yield held;
        held = piece;
      }
    }
    if (digest.digest('hex') !== sha256) return this.#corrupt(sha256, location);
    if (held) yield held;
  }

  async *#part(sha256: string, { first, last }: ByteRange): AsyncGenerator<Buffer> {
    const { location } = await this.#find(sha256, 0);
    if (!(first >= 0 && first <= last && first < location.length))
      throw new RangeError(
        `Cannot read bytes ${first} to ${last}: the content has ${plural(location.length, 'byte')}.`,
      );
    const end = Math.min(last + 1, location.length);
    for await (const bytes of this.#from(sha256, location, first, end, Buffer.alloc(0))) yield* pieces(bytes);
  }

  /** Yields content from offset `from` to `end`. `ready` is a part that was already read. */
  async *#from(
    sha256: string,
    location: RecordLocation,
    from: number,
    end: number,
    ready: Buffer,
  ): AsyncGenerator<Buffer> {
    if (ready.length > 0) yield ready;
    for (let at = from + ready.length; at < end; ) {
      const wanted = Math.min(readAtOnce, end - at);
      const bytes = await this.storage.read(location.pack, location.start + headerBytes + at, wanted);
      if (bytes.length < wanted) return this.#corrupt(sha256, location);
      yield bytes;
      at += bytes.length;
    }
  }

  /**
   * Returns the current location of the content and its first `wanted` bytes, even if the cached location is
   * outdated.
   */
  async #find(sha256: string, wanted: number): Promise<{ location: RecordLocation; bytes: Buffer }> {
    const cached = this.index.cachedLocation(sha256);
    const found = cached && (await this.#at(cached, sha256, wanted));
    if (found) return found;

    const location = await this.index.locate(sha256);
    if (!location) throw new BlobMissingError(sha256);
    return (await this.#at(location, sha256, wanted)) ?? this.#corrupt(sha256, location);
  }

  async #at(
    location: RecordLocation,
    sha256: string,
    wanted: number,
  ): Promise<{ location: RecordLocation; bytes: Buffer } | undefined> {
    try {
      const record = await this.storage.read(
        location.pack,
        location.start,
        headerBytes + Math.min(location.length, wanted),
      );
      const header = readHeader(record);
      if (header?.sha256 !== sha256 || header.length !== location.length) return undefined;
      return { location, bytes: record.subarray(headerBytes) };
    } catch (reason) {
      if (reason instanceof PackMissingError) return undefined;
      throw reason;
    }
  }

  /** Marks the content as damaged and throws `BlobCorruptError`. The next upload of the content stores it again. */
  async #corrupt(sha256: string, location: RecordLocation): Promise<never> {
    await this.index.damaged(sha256, location);
    throw new BlobCorruptError(sha256);
  }
}

function* pieces(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
