import { scanPack } from '../packs/pack-scan.js';
import type { PackStorage } from '../packs/pack-storage.js';
import type { BlobIndex } from './blob-index.js';
import type { PackTable } from './pack-table.js';
import type { LocatedRecord } from './record-location.js';

const rowsAtOnce = 5_000;

export type Rebuilt = {
  readonly packs: number;
  /** Contents found, each counted as often as it was found. */
  readonly blobs: number;
  /** Contents whose bytes no longer have their digest; they are not indexed. */
  readonly damaged: number;
};

/**
 * Makes the index anew from the packs alone, after its table was lost. Rows that are there stay. What is found counts
 * as touched now, also what no deploy ever acknowledged: the collector removes what no deploy names in a day.
 *
 * Run it while no process adds content: a record that is being written may still be discarded.
 */
export async function rebuildIndex(storage: PackStorage, table: PackTable, index: BlobIndex): Promise<Rebuilt> {
  let packs = 0;
  let blobs = 0;
  let damaged = 0;
  for await (const { id, bytes } of storage.list()) {
    packs++;
    await table.adopt(id);
    // After `kill -9` the records at the end may be complete and not yet durable.
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
