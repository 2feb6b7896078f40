import type { Pool } from 'pg';
import { PackFolder } from './pack-folder.js';
import { PackedBlobs, type PackOptions } from './packed-blobs.js';

/**
 * Content in packs in one folder, which every process that serves it must see: one machine, or a file system
 * that keeps `fdatasync`'s promise across machines.
 */
export class DiskPacks extends PackedBlobs {
  constructor(folder: string, pool: Pool, options?: PackOptions) {
    super(new PackFolder(folder), pool, options);
  }
}
