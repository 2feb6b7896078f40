import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { StorageFullError } from '../../kernel/faults/storage-full.js';
import { withAdvisoryLock } from '../postgres/advisory-lock.js';
import type { Collected } from './blob-store.js';
import { type BlobIndex, byteaArray, touchedWithin } from './index/blob-index.js';
import type { PackState, PackTable } from './index/pack-table.js';
import type { PackCompactor } from './packs/pack-compactor.js';
import type { PackFolder } from './packs/pack-folder.js';

const day = 24 * 60 * 60 * 1000;
const keptShare = 0.5;

const nothing: Collected = { blobs: 0, moved: 0, freed: 0 };

/**
 * Removes unreferenced content. Moves referenced content out of packs that contain little of it, and removes these
 * packs a day later, when no reader still uses the content’s old locations.
 */
export class Collector {
  constructor(
    private readonly pool: Pool,
    private readonly storage: PackFolder,
    private readonly table: PackTable,
    private readonly index: BlobIndex,
    private readonly packCompactor: PackCompactor,
    private readonly now: () => Date,
  ) {}

  async collect(referenced: AsyncIterable<readonly string[]>): Promise<Collected> {
    // The cutoff must be computed before the first digest is read, because content that becomes referenced later is
    // touched after the cutoff.
    const cutoff = new Date(this.now().getTime() - day);
    const collected = await withAdvisoryLock(this.pool, 'stele blobs collector', async (session) => {
      const blobs = await this.#deleteUnreferenced(session, referenced, new Date(cutoff.getTime() - touchedWithin));
      const sizes = new Map<string, number>();
      for await (const { id, bytes } of this.storage.list()) sizes.set(id, bytes);
      const packs = await this.table.quietSince(cutoff);
      // Removes retired packs before moving content, because the disk may be too full to move anything.
      const freed = await this.#removeRetired(packs, cutoff);
      return { blobs, moved: await this.#emptyMostlyDead(packs, sizes, cutoff), freed };
    });
    return collected ?? nothing;
  }

  /**
   * Collects the referenced digests in a temporary table, outside of a transaction, because reading them can take
   * minutes.
   */
  async #deleteUnreferenced(
    session: PoolClient,
    referenced: AsyncIterable<readonly string[]>,
    before: Date,
  ): Promise<number> {
    await session.query('create temporary table if not exists named (digest bytea primary key)');
    try {
      for await (const digests of referenced)
        await session.query('insert into named select unnest($1::bytea[]) on conflict do nothing', [
          byteaArray(digests),
        ]);
      await session.query('analyze named');
      // Skips locked rows, because another process is updating their `touched` time. If a row was touched after this
      // statement started, it no longer matches the condition.
      const { rowCount } = await session.query(
        `delete from blobs using (
           select digest from blobs where touched < $1 and not exists (select from named where named.digest = blobs.digest)
           for update skip locked
         ) as unnamed where blobs.digest = unnamed.digest`,
        [before],
      );
      this.index.clearCache();
      return rowCount ?? 0;
    } finally {
      await session.query('drop table if exists named').catch(endedWithConnection);
    }
  }

  async #removeRetired(packs: readonly PackState[], cutoff: Date): Promise<number> {
    let freed = 0;
    for (const { id, retiredAt, blobs } of packs) {
      if (retiredAt === null || retiredAt > cutoff || blobs > 0) continue;
      freed += await this.storage.remove(id);
      await this.table.forget(id);
    }
    return freed;
  }

  async #emptyMostlyDead(packs: readonly PackState[], sizes: ReadonlyMap<string, number>, cutoff: Date) {
    let moved = 0;
    for (const { id, retiredAt, blobs, live } of packs) {
      const worthKeeping = blobs > 0 && live >= (sizes.get(id) ?? 0) * keptShare;
      if (retiredAt !== null || worthKeeping) continue;
      try {
        const { bytes, left } = await this.packCompactor.empty(id);
        moved += bytes;
        if (left === 0) await this.table.retire(id, cutoff);
      } catch (reason) {
        if (reason instanceof StorageFullError) return moved; // There is no space for the moved content. The next collection tries again.
        throw reason;
      }
    }
    return moved;
  }
}
