/** Where the bytes of packs are. The only thing that knows what a pack is made of: files, or objects. */
export abstract class PackStorage {
  /** Creates the storage; harmless when it exists. */
  abstract prepare(): Promise<void>;

  /** A new, empty pack whose existence is durable. Fails when there is one with this id. Throws `StorageFull`. */
  abstract create(id: string): Promise<OpenPack>;

  /**
   * `length` bytes from `offset`; fewer where the pack ends. Runs beside appending, by any process.
   * Throws `PackMissing`.
   */
  abstract read(id: string, offset: number, length: number): Promise<Buffer>;

  /** Every pack there is, also those of other processes, with its size in bytes. */
  abstract list(): AsyncIterable<{ readonly id: string; readonly bytes: number }>;

  /** Makes durable what a pack contains that no process writes to any more. Throws `PackMissing`. */
  abstract sync(id: string): Promise<void>;

  /** Gives the room back, also when another process still reads from it. Answers the bytes; 0 when there was none. */
  abstract remove(id: string): Promise<number>;

  abstract close(): Promise<void>;
}

/** A pack that this process may write to. One call at a time, but for `sync`. */
export abstract class OpenPack {
  abstract readonly id: string;

  /** Bytes in it. */
  abstract readonly length: number;

  /** What it contains is not certain any more: nothing may be appended. What was synced before is still right. */
  abstract readonly broken: boolean;

  /** All of it or nothing: after a failure the pack is as long as it was, or broken. Throws `StorageFull`. */
  abstract append(bytes: readonly Uint8Array[]): Promise<void>;

  /** Overwrites bytes that were appended and not yet synced. */
  abstract patch(at: number, bytes: Uint8Array): Promise<void>;

  /** Cuts off what was appended after `length`. Never throws: a pack that cannot be cut is broken. */
  abstract truncate(length: number): Promise<void>;

  /**
   * Resolves when everything appended so far is durable. Once it has failed the pack is broken for good: a kernel
   * may forget the pages that it could not write and call the next sync a success. Throws `StorageFull`.
   */
  abstract sync(): Promise<void>;

  abstract close(): Promise<void>;
}

export class PackMissing extends Error {
  override readonly name = 'PackMissing';
  constructor(readonly id: string) {
    super(`Pack ${id} does not exist.`);
  }
}
