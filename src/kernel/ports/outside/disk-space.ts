/** The free space on the disk with the content of sites. Some of it is reserved for everything else. */
export abstract class DiskSpace {
  /** Throws `StorageFullError` if too little is free to store more content. */
  abstract assertRoom(): Promise<void>;
}
