/** Bytes that the operating system can send without copying them first. */
export type OffHeapFile = {
  /**
   * Sends as many bytes from the start as the connection accepts without waiting, and returns that number. Returns 0 if
   * the connection accepts none or the descriptor is not a connection. `descriptor` must belong to a non-blocking
   * socket.
   */
  sendTo(descriptor: number): number;
  /** Frees the bytes, apart from those that are being sent. */
  release(): void;
};

/**
 * Copies the bytes. Resolves to null if they cannot be copied; they are then written in the ordinary way. Never
 * rejects.
 */
export type CopyForSendfile = (bytes: Buffer) => Promise<OffHeapFile | null>;
