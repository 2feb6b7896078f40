export type OffHeapFile = {
  /**
   * Sends the bytes from the start. Returns how many the connection accepted without waiting, or 0 if it accepts none
   * or is not a connection. `descriptor` must belong to a non-blocking socket.
   */
  sendTo(descriptor: number): number;
  /** Frees the bytes, except those that are still being sent. */
  release(): void;
};

/**
 * Copies the bytes for `sendfile`. Resolves to null if they cannot be copied and must be written to the socket. Never
 * rejects.
 */
export type CopyForSendfile = (bytes: Buffer) => Promise<OffHeapFile | null>;
