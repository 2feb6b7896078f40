/** A piece of content: the SHA-256 of its bytes (64 hexadecimal digits) and its size in bytes. */
export type Blob = { readonly sha256: string; readonly size: number };

/** First and last byte, both inclusive, as in RFC 9110 section 14. */
export type ByteRange = { readonly first: number; readonly last: number };

/**
 * Receives the content of one deploy. Call either `seal`, which makes the added content durable, or `abandon`, which
 * discards it, exactly once.
 */
export abstract class BlobIntake {
  /**
   * Hashes and stores one piece of content, given as a whole or as a stream. Uses a bounded amount of memory for
   * content of any size. Only one `add` can run at a time, and the bytes must not change until it resolves. The content
   * is not durable or readable until `seal` has resolved. If the source fails, its error is rethrown, and content that
   * was added earlier is not affected.
   */
  abstract add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob>;

  /**
   * Resolves once all added content is synced to disk, indexed and readable. If it throws `StorageFullError`, some or
   * all of the content may not be stored.
   */
  abstract seal(): Promise<void>;

  /** Discards the added content. Anything already written is treated as unreferenced. Has no effect after `seal`. */
  abstract abandon(): Promise<void>;
}

/** The results of a collector run. */
export type Collected = {
  /**
   * Number of index rows that were removed because no deploy referenced them and they had not been touched for 24
   * hours.
   */
  readonly blobs: number;
  /** Number of bytes of live content that were copied out of mostly dead packs. */
  readonly moved: number;
  /** Number of bytes freed by removing packs, which happens a day after their content was moved. */
  readonly freed: number;
};

/** Stores content by digest. All engines must pass `test/contracts/blob-store.contract.ts`. */
export abstract class BlobStore {
  abstract begin(): BlobIntake;

  /**
   * Returns the whole content after checking its digest. Throws `BlobMissingError` if it is not stored, or
   * `BlobCorruptError` if the stored bytes have changed.
   */
  abstract read(sha256: string): Promise<Buffer>;

  /**
   * Yields the content, or a range of it, in chunks of at most 64 KiB, as fast as they are consumed. If the whole
   * content is read, its digest is checked before the last chunk is yielded, so corrupt content never appears complete.
   * Throws `BlobMissingError` before the first chunk if the content is not stored, or `BlobCorruptError` if it has
   * changed. A range can extend past the end of the content. Throws `RangeError` if the range starts past the end, or
   * ends before it starts.
   */
  abstract stream(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;

  /**
   * Returns the digests that are stored, with the size of their content. Protects that content from the collector for
   * another 24 hours, which is enough time to reference it in a manifest.
   */
  abstract touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes content that is not in `referenced` and was not touched for 24 hours, and frees its space. The 24 hours are
   * counted back from the time before the first digest is read. An engine may wait an hour longer. `referenced` yields
   * the digests of everything that deploys reference (files, manifests, provenance statements), in any order;
   * duplicates are allowed. If it throws, nothing is removed. `collect` can run at any time, in any number of
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
