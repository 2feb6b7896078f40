import type { Pool } from 'pg';
import { PackedBlobs, type PackOptions } from './packed-blobs.js';
import { PackFolder } from './packs/pack-folder.js';

/**
 * Stores content in packs in one folder that all serving processes can read. A network file system must implement
 * `fdatasync` with its usual guarantees.
 */
export class DiskPacks extends PackedBlobs {
  constructor(folder: string, pool: Pool, options?: PackOptions) {
    super(new PackFolder(folder), pool, options);
  }
}
