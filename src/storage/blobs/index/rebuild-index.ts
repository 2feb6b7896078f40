import type { PackFolder } from '../packs/pack-folder.js';
import { scanPack } from '../packs/pack-scan.js';
import type { BlobIndex } from './blob-index.js';
import type { PackTable } from './pack-table.js';
import type { LocatedRecord } from './record-location.js';

const rowsAtOnce = 5_000;

export type Rebuilt = {
  readonly packs: number;
  /** Number of intact records found, including duplicates. */
  readonly blobs: number;
  /** Number of records that were not indexed because their content does not match their digest. */
  readonly damaged: number;
};

/**
 * Rebuilds the index from the packs, keeping existing rows. Marks all content as touched, even the content of deploys
 * that were never acknowledged. The collector removes unreferenced content after a day. Run this only while no process
 * adds content, because a record that is being written may still be discarded.
 */
export async function rebuildIndex(storage: PackFolder, table: PackTable, index: BlobIndex): Promise<Rebuilt> {
  let packs = 0;
  let blobs = 0;
  let damaged = 0;
  for await (const { id, bytes } of storage.list()) {
    packs++;
    await table.adopt(id);
    // Syncs the pack before indexing it: after `kill -9`, the last records may be complete but not durable.
    await storage.sync(id);
    let found: LocatedRecord[] = [];
    for await (const { sha256, start, length, intact } of scanPack(storage, id, bytes)) {
      if (!intact) {
        damaged++;
        continue;
      }
      blobs++;
      found.push({ sha256, pack: id, start, length });
      if (found.length < rowsAtOnce) continue;
      await index.add(found);
      found = [];
    }
    await index.add(found);
  }
  return { packs, blobs, damaged };
}
