/** Free space on the disk for site content. Some of it is reserved for everything else. */
export abstract class DiskSpace {
  /** Throws `StorageFullError` if there is no room for more content. */
  abstract assertRoom(): Promise<void>;
}
