/** Bytes that lie where the operating system can send them from without copying them first. */
export type OffHeapFile = {
  /**
   * Sends from the first byte as much as this connection takes at once, and answers how many bytes that were: 0 where
   * it takes none, or is none. `descriptor` is that of a socket that does not block.
   */
  sendTo(descriptor: number): number;
  /** The bytes are gone afterwards, except those that are on their way. */
  release(): void;
};

/** Null where bytes cannot be laid out: they are then written as all others are. Never rejects. */
export type CopyForSendfile = (bytes: Buffer) => Promise<OffHeapFile | null>;
