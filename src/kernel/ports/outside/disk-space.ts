/** Free space for content on the disk. A part of the disk is reserved for everything else. */
export abstract class DiskSpace {
  /** Throws `StorageFullError` if there is no room for more content. */
  abstract assertRoom(): Promise<void>;
}
