import type { Pool } from 'pg';
import { PackedBlobs, type PackOptions } from './packed-blobs.js';
import { PackFolder } from './packs/pack-folder.js';

/**
 * Content in packs in one folder, which every process that serves it must see: one machine, or a file system
 * that keeps `fdatasync`'s promise across machines.
 */
export class DiskPacks extends PackedBlobs {
  constructor(folder: string, pool: Pool, options?: PackOptions) {
    super(new PackFolder(folder), pool, options);
  }
}
