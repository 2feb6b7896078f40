/** Stores the bytes of packs. Only its implementations know how a pack is stored: as a file or as an object. */
export abstract class PackStorage {
  /** Creates the storage. Does nothing if it exists. */
  abstract prepare(): Promise<void>;

  /** Creates an empty pack, durably. Fails if there is already one with this ID. Throws `StorageFull`. */
  abstract create(id: string): Promise<OpenPack>;

  /**
   * Reads `length` bytes at `offset`, or fewer at the end of the pack. Can run while any process appends to it. Throws
   * `PackMissing`.
   */
  abstract read(id: string, offset: number, length: number): Promise<Buffer>;

  /** Lists all packs with their sizes in bytes, including those of other processes. */
  abstract list(): AsyncIterable<{ readonly id: string; readonly bytes: number }>;

  /** Syncs a pack that is no longer written to. Throws `PackMissing`. */
  abstract sync(id: string): Promise<void>;

  /**
   * Removes a pack and frees its space, even if another process is still reading it. Returns its size in bytes, or 0 if
   * it does not exist.
   */
  abstract remove(id: string): Promise<number>;

  abstract close(): Promise<void>;
}

/** A pack that this process can write to. Only one call at a time is allowed, except for `sync`. */
export abstract class OpenPack {
  abstract readonly id: string;

  /** Length of the pack in bytes. */
  abstract readonly length: number;

  /**
   * True if the content of the pack is uncertain, so nothing can be appended. Content that was synced before is still
   * valid.
   */
  abstract readonly broken: boolean;

  /**
   * Appends all bytes or none: after a failure, the pack has its previous length or is broken. Throws `StorageFull`.
   */
  abstract append(bytes: readonly Uint8Array[]): Promise<void>;

  /** Overwrites bytes that were appended but not synced. */
  abstract patch(at: number, bytes: Uint8Array): Promise<void>;

  /** Removes everything after `length`. Never throws: if truncation fails, the pack is broken. */
  abstract truncate(length: number): Promise<void>;

  /**
   * Resolves when everything appended so far is durable. After a failure the pack stays broken, because a kernel may
   * discard pages that it could not write and report success for the next sync. Throws `StorageFull`.
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
