import { coalesce } from '../coalesce.js';
import { computeRecordLocations, type LocatedRecord } from '../index/record-location.js';
import type { OpenPackPool } from './open-packs.js';
import type { PackRecord } from './pack.format.js';

/** Writes the records of deploys that are sealed at the same time with a single write and a single sync. */
export class PackWriter {
  constructor(private readonly packs: OpenPackPool) {}

  /** Resolves to the locations of the records once all are durable. After a `StorageFullError`, none is stored. */
  readonly commit = coalesce(async (calls: readonly (readonly PackRecord[])[]) => {
    const pack = await this.packs.acquire();
    try {
      const locations = new Map<readonly PackRecord[], LocatedRecord[]>();
      let end = pack.length;
      for (const records of calls) {
        locations.set(records, computeRecordLocations(pack.id, end, records));
        for (const { bytes } of records) end += bytes.length;
      }
      await pack.append(calls.flat().map(({ bytes }) => bytes));
      await pack.sync();
      return (records) => locations.get(records) ?? [];
    } finally {
      await this.packs.release(pack);
    }
  });
}
