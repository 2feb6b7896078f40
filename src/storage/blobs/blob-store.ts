/** What one piece of content is: the SHA-256 of its bytes (64 hexadecimal digits) and its size in bytes. */
export type Blob = { readonly sha256: string; readonly size: number };

/** First and last byte, both included, as in RFC 9110 section 14. */
export type ByteRange = { readonly first: number; readonly last: number };

/** Takes in the content of one deploy. Use `seal` or `abandon` exactly once; what was added is then forgotten or durable. */
export abstract class BlobIntake {
  /**
   * Hashes and takes in one content, whole or as it arrives; memory stays bounded whatever its size.
   * One `add` at a time; until it resolves the bytes must not change. Not durable yet, and not readable. If the source
   * fails, the error is thrown on and what was added before is unharmed.
   */
  abstract add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob>;

  /** Resolves when everything added is synced to disk, indexed and readable. Throws `StorageFull`; then nothing is promised. */
  abstract seal(): Promise<void>;

  /** Gives up; what was already written counts as unreferenced. Harmless after `seal`. */
  abstract abandon(): Promise<void>;
}

/** What the collector did. */
export type Collected = {
  /** Index rows removed, because no deploy named them and nothing touched them for 24 hours. */
  readonly blobs: number;
  /** Bytes of content copied out of packs that were mostly dead. */
  readonly moved: number;
  /** Bytes of packs removed from storage, a day after their content had moved. */
  readonly freed: number;
};

/** Content by digest. Every engine runs `test/contracts/blob-store.contract.ts`. */
export abstract class BlobStore {
  abstract begin(): BlobIntake;

  /** The whole content, its digest checked. Throws `BlobMissing`, or `BlobCorrupt` when stored bytes are not what was stored. */
  abstract read(sha256: string): Promise<Buffer>;

  /**
   * The content or a part of it, in pieces of at most 64 KiB, as fast as it is taken. The digest of a whole
   * content is checked before its last piece is handed out, so that a corrupt one never ends as if it were right.
   * Throws `BlobMissing` before the first piece, `BlobCorrupt`. A range may end behind the content's end;
   * one that begins there, or ends before it begins, is a `RangeError`.
   */
  abstract stream(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;

  /**
   * Which of these exist, with their sizes. Those that do are safe from the collector for another 24 hours:
   * time enough to name them in a manifest.
   */
  abstract touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes content that `referenced` does not name and that was not touched for 24 hours, and frees its room. The 24
   * hours count back from before the first name is read; an engine may wait an hour longer. `referenced` yields digests
   * (in any order, repeated or not) of everything that a deploy names: its files, its manifest, what was stated of it. If it throws, nothing is
   * removed. Runs beside everything else, in any number of processes.
   */
  abstract collect(referenced: AsyncIterable<readonly string[]>): Promise<Collected>;
}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
  constructor(readonly sha256: string) {
    super(`No content with the digest ${sha256} is stored.`);
  }
}

export class BlobCorrupt extends Error {
  override readonly name = 'BlobCorrupt';
  constructor(readonly sha256: string) {
    super(`The stored content ${sha256} is damaged: its digest does not match.`);
  }
}
