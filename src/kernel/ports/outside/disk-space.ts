/** Checks that the disk has space for more content. A part of the disk is reserved for all other data. */
export abstract class DiskSpace {
  /** Throws `StorageFullError` if there is no space for more content. */
  abstract assertRoom(): Promise<void>;
}
