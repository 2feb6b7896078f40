import type { Pool } from 'pg';
import { PackedBlobs, type PackOptions } from './packed-blobs.js';
import { PackFolder } from './packs/pack-folder.js';

/**
 * Stores content in packs in one folder, which every process that serves the content must be able to read. The folder
 * is on one machine, or on a network file system where `fdatasync` has its usual guarantees.
 */
export class DiskPacks extends PackedBlobs {
  constructor(folder: string, pool: Pool, options?: PackOptions) {
    super(new PackFolder(folder), pool, options);
  }
}
