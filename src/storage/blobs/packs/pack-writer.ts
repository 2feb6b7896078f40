import { coalesce } from '../coalesce.js';
import { type LocatedRecord, locationsFrom } from '../index/record-location.js';
import type { OpenPacks } from './open-packs.js';
import type { PackRecord } from './pack.format.js';

/** Writes the records of deploys that end at the same time with one write and one sync. */
export class PackWriter {
  constructor(private readonly packs: OpenPacks) {}

  /**
   * Resolves with the location of each record when all of them are durable. Throws `StorageFull`: then none is kept.
   */
  readonly commit = coalesce(async (calls: readonly (readonly PackRecord[])[]) => {
    const pack = await this.packs.acquire();
    try {
      const locations = new Map<readonly PackRecord[], LocatedRecord[]>();
      let end = pack.length;
      for (const records of calls) {
        locations.set(records, locationsFrom(pack.id, end, records));
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
