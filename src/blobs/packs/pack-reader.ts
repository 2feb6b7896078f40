import { createHash, hash } from 'node:crypto';
import { BlobCorrupt, BlobMissing, type ByteRange } from '../blob-store.js';
import type { BlobIndex } from '../index/blob-index.js';
import type { Place } from '../index/record-location.js';
import { headerBytes, readHeader } from './pack.format.js';
import { PackMissing, type PackStorage } from './pack-storage.js';

const readAtOnce = 256 * 1024;
const pieceBytes = 64 * 1024;

/** Reads content; the header at its place says whose it is, so that a wrong place never yields other content. */
export class PackReader {
  constructor(
    private readonly storage: PackStorage,
    private readonly index: BlobIndex,
  ) {}

  async read(sha256: string): Promise<Buffer> {
    const { place, bytes } = await this.#find(sha256, Number.POSITIVE_INFINITY);
    if (bytes.length < place.length || hash('sha256', bytes, 'hex') !== sha256) return this.#corrupt(sha256, place);
    return bytes;
  }

  async *stream(sha256: string, range?: ByteRange): AsyncGenerator<Buffer> {
    if (range) yield* this.#part(sha256, range);
    else yield* this.#whole(sha256);
  }

  async *#whole(sha256: string): AsyncGenerator<Buffer> {
    const { place, bytes: first } = await this.#find(sha256, readAtOnce);
    const digest = createHash('sha256');
    let held: Buffer | undefined;
    for await (const bytes of this.#from(sha256, place, 0, place.length, first)) {
      digest.update(bytes);
      for (const piece of pieces(bytes)) {
        if (held) yield held;
        held = piece;
      }
    }
    if (digest.digest('hex') !== sha256) return this.#corrupt(sha256, place);
    if (held) yield held;
  }

  async *#part(sha256: string, { first, last }: ByteRange): AsyncGenerator<Buffer> {
    const { place } = await this.#find(sha256, 0);
    if (!(first >= 0 && first <= last && first < place.length))
      throw new RangeError(`Bytes ${first} to ${last} of ${place.length}.`);
    const end = Math.min(last + 1, place.length);
    for await (const bytes of this.#from(sha256, place, first, end, Buffer.alloc(0))) yield* pieces(bytes);
  }

  /** Content from `from` up to `end`, of which `ready` was read already. */
  async *#from(sha256: string, place: Place, from: number, end: number, ready: Buffer): AsyncGenerator<Buffer> {
    if (ready.length > 0) yield ready;
    for (let at = from + ready.length; at < end; ) {
      const wanted = Math.min(readAtOnce, end - at);
      const bytes = await this.storage.read(place.pack, place.start + headerBytes + at, wanted);
      if (bytes.length < wanted) return this.#corrupt(sha256, place);
      yield bytes;
      at += bytes.length;
    }
  }

  /** Where the content is, and its first `wanted` bytes. A place in memory that is out of date is looked up once more. */
  async #find(sha256: string, wanted: number): Promise<{ place: Place; bytes: Buffer }> {
    const recalled = this.index.recall(sha256);
    const found = recalled && (await this.#at(recalled, sha256, wanted));
    if (found) return found;

    const place = await this.index.locate(sha256);
    if (!place) throw new BlobMissing(sha256);
    return (await this.#at(place, sha256, wanted)) ?? this.#corrupt(sha256, place);
  }

  async #at(place: Place, sha256: string, wanted: number): Promise<{ place: Place; bytes: Buffer } | undefined> {
    try {
      const record = await this.storage.read(place.pack, place.start, headerBytes + Math.min(place.length, wanted));
      const header = readHeader(record);
      if (header?.sha256 !== sha256 || header.length !== place.length) return undefined;
      return { place, bytes: record.subarray(headerBytes) };
    } catch (reason) {
      if (reason instanceof PackMissing) return undefined;
      throw reason;
    }
  }

  /** Says so, and sees to it that the content is stored again when it comes again. */
  async #corrupt(sha256: string, place: Place): Promise<never> {
    await this.index.damaged(sha256, place);
    throw new BlobCorrupt(sha256);
  }
}

function* pieces(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
