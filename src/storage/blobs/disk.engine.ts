import type { Pool } from 'pg';
import { PackedBlobs, type PackOptions } from './packed-blobs.js';
import { PackFolder } from './packs/pack-folder.js';

/**
 * Stores content in packs in one folder, which must be visible to all processes that serve it: on one machine, or on a
 * file system that honors `fdatasync` across machines.
 */
export class DiskPacks extends PackedBlobs {
  constructor(folder: string, pool: Pool, options?: PackOptions) {
    super(new PackFolder(folder), pool, options);
  }
}
