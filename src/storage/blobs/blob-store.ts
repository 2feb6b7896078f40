/** A piece of content: the SHA-256 of its bytes (64 hexadecimal digits) and its size in bytes. */
export type Blob = { readonly sha256: string; readonly size: number };

/** First and last byte, both inclusive, as in RFC 9110 section 14. */
export type ByteRange = { readonly first: number; readonly last: number };

/**
 * Receives the content of one deploy. Call `seal` or `abandon` exactly once, to make the added content durable or
 * discard it.
 */
export abstract class BlobIntake {
  /**
   * Hashes and stores one piece of content, given as a whole or as a stream. Memory use is bounded, whatever its size.
   * Only one `add` can run at a time, and the bytes must not change until it resolves. The content is not durable or
   * readable yet. If the source fails, its error is rethrown, and content that was added before is not affected.
   */
  abstract add(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Blob>;

  /**
   * Resolves once all added content is synced to disk, indexed and readable. Throws `StorageFullError`, in which case
   * none of it is guaranteed to be stored.
   */
  abstract seal(): Promise<void>;

  /** Gives up. Content that was already written counts as unreferenced. Has no effect after `seal`. */
  abstract abandon(): Promise<void>;
}

/** The results of a collector run. */
export type Collected = {
  /** Number of index rows removed because no deploy referenced them and nothing touched them for 24 hours. */
  readonly blobs: number;
  /** Bytes of content that were copied out of packs with mostly dead content. */
  readonly moved: number;
  /** Bytes of packs that were removed from storage, a day after their content was moved. */
  readonly freed: number;
};

/** Stores content by digest. All engines must pass `test/contracts/blob-store.contract.ts`. */
export abstract class BlobStore {
  abstract begin(): BlobIntake;

  /**
   * Returns the whole content after checking its digest. Throws `BlobMissingError`, or `BlobCorruptError` if the stored
   * bytes have changed.
   */
  abstract read(sha256: string): Promise<Buffer>;

  /**
   * Yields the content, or a range of it, in chunks of at most 64 KiB, as fast as they are consumed. If the whole
   * content is read, its digest is checked before the last chunk is yielded, so that corrupt content never appears
   * complete. Throws `BlobMissingError` before the first chunk, or `BlobCorruptError`. A range may end beyond the end
   * of the content. A range that starts there, or that ends before it starts, throws `RangeError`.
   */
  abstract stream(sha256: string, range?: ByteRange): AsyncIterable<Buffer>;

  /**
   * Returns those of the digests that exist, with their sizes. They are protected from the collector for another 24
   * hours, which is enough time to reference them in a manifest.
   */
  abstract touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>>;

  /**
   * Removes content that is not in `referenced` and that was not touched for 24 hours, and frees its space. The 24
   * hours are counted back from before the first digest is read; an engine may wait an hour longer. `referenced` yields
   * the digests of everything that deploys reference (files, manifests, provenance statements), in any order, with or
   * without duplicates. If it throws, nothing is removed. Can run concurrently with everything else, in any number of
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
