/** A piece of content: the SHA-256 of its bytes (64 hexadecimal digits) and its size in bytes. */
export type Blob = { readonly sha256: string; readonly size: number };

/** A range of bytes: the offsets of its first and last byte, both inclusive, as in RFC 9110 section 14. */
export type ByteRange = { readonly first: number; readonly last: number };

/** Receives the content of one deploy. The caller must call either `seal` or `abandon`, exactly once. */
export abstract class BlobIntake {
  /**
   * Hashes and stores one piece of content in bounded memory. Calls must not overlap, and the bytes must not change
   * until the call resolves. If the source fails, its error is rethrown, and content added earlier is not affected.
   */
  abstract add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob>;

  /**
   * Makes all added content durable and readable. After a `StorageFullError`, any part of the content may be missing.
   */
  abstract seal(): Promise<void>;

  /** Discards the added content. Has no effect after `seal`. */
  abstract abandon(): Promise<void>;
}

export type Collected = {
  /**
   * Number of index rows that were removed, because no deploy referenced their content and nothing had touched it for
   * 24 hours.
   */
  readonly blobs: number;
  /** Bytes of referenced content that were copied out of pack files with mostly unreferenced content. */
  readonly moved: number;
  /** Bytes freed by removing pack files. A pack file is removed a day after its content was moved. */
  readonly freed: number;
};

/** Stores content under its SHA-256 digest. Every implementation must pass `test/contracts/blob-store.contract.ts`. */
export abstract class BlobStore {
  abstract begin(): BlobIntake;

  /** Returns the content after checking its digest. Throws `BlobMissingError` or `BlobCorruptError`. */
  abstract read(sha256: string): Promise<Buffer>;

  /**
   * Yields the content, or a range of it, in chunks of at most 64 KiB. The digest of the whole content is checked
   * before the last chunk, so corrupt content never appears complete. Throws `BlobMissingError` before the first chunk.
   * Throws `BlobCorruptError` if the digest does not match. A range may extend past the end. Throws `RangeError` if a
   * range starts past the end or ends before it starts.
   */
  abstract stream(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;

  /**
   * Returns those of the given digests whose content is stored, with sizes, and protects that content from the
   * collector for another 24 hours.
   */
  abstract touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes content that is not in `referenced` and was not touched in the 24 hours before this call (25 in some
   * engines). `referenced` yields the digests of everything that deploys reference (files, manifests, provenance
   * statements), in any order. If `referenced` throws, nothing is removed. Can run at any time, in any number of
   * processes.
   */
  abstract collect(referenced: AsyncIterable<readonly string[]>): Promise<Collected>;
}

export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  constructor(readonly sha256: string) {
    super(`No content with the digest ${sha256} is stored.`);
  }
}

export class BlobCorruptError extends Error {
  override readonly name = 'BlobCorruptError';
  constructor(readonly sha256: string) {
    super(`The stored content ${sha256} is damaged: its digest does not match.`);
  }
}
