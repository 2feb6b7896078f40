/** The free space on the disk that stores the content of sites. Some of it is reserved for everything else. */
export abstract class DiskSpace {
  /** Throws `StorageFullError` if there is too little free space to store more content. */
  abstract assertRoom(): Promise<void>;
}
