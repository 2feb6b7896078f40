/** The free space that is left to everything else on the disk with the content of sites. */
export abstract class DiskSpace {
  /** Throws `StorageFull` if too little is free to store more content. */
  abstract assertRoom(): Promise<void>;
}
