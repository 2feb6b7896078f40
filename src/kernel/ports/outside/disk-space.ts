/** Checks the disk for free space. Content may not use the part that is reserved for everything else. */
export abstract class DiskSpace {
  /** Throws `StorageFullError` if there is no room for more content. */
  abstract assertRoom(): Promise<void>;
}
