/** Bytes in a place from which the operating system can send them without copying them first. */
export type OffHeapFile = {
  /**
   * Sends as many bytes from the start as this connection accepts at once, and returns their number: 0 if it accepts
   * none or is not a connection. `descriptor` must belong to a non-blocking socket.
   */
  sendTo(descriptor: number): number;
  /** Frees the bytes, except those that are being sent. */
  release(): void;
};

/** Returns null if the bytes cannot be copied. They are then written like all others. Never rejects. */
export type CopyForSendfile = (bytes: Buffer) => Promise<OffHeapFile | null>;
