import type { Pool } from 'pg';
import { awaitDatabase } from '../../postgres/database-fault.js';
import { headerBytes } from '../packs/pack.format.js';

export type PackState = {
  readonly id: string;
  readonly retiredAt: Date | null;
  /** Number of index rows that point to the pack. */
  readonly blobs: number;
  /** Total size in bytes of the pack’s indexed records, including headers. */
  readonly live: number;
};

export class PackTable {
  constructor(
    private readonly pool: Pool,
    private readonly now: () => Date,
  ) {}

  /** Registers a pack. Must be called before the pack is created. */
  async register(id: string): Promise<void> {
    await awaitDatabase(this.pool.query('insert into packs (id, written) values ($1, $2)', [id, this.now()]));
  }

  /** Registers an existing pack, unless it is already registered. */
  async adopt(id: string): Promise<void> {
    await this.pool.query(
      `insert into packs (id, written) values ($1, $2)
       on conflict (id) do update set written = excluded.written, retired_at = null`,
      [id, this.now()],
    );
  }

  /** Removes a pack’s row. Must be called after the bytes of the pack have been removed. */
  async forget(id: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from packs where id = $1', [id]));
  }

  /** Returns packs that have had no new rows since `cutoff`. No process still writes to them (see `OpenPackPool`). */
  async quietSince(cutoff: Date): Promise<PackState[]> {
    const { rows } = await this.pool.query<{ id: string; retired_at: Date | null; blobs: string; live: string }>(
      `select packs.id, packs.retired_at, count(blobs.digest) as blobs, coalesce(sum(blobs.length + $2), 0) as live
       from packs left join blobs on blobs.pack = packs.id where packs.written < $1 group by packs.id`,
      [cutoff, headerBytes],
    );
    return rows.map(({ id, retired_at, blobs, live }) => ({
      id,
      retiredAt: retired_at,
      blobs: Number(blobs),
      live: Number(live),
    }));
  }

  /**
   * Prevents new index rows for the pack. If rows are being added at the same time, either they are refused or the pack
   * is not retired.
   */
  async retire(id: string, cutoff: Date): Promise<void> {
    await this.pool.query('update packs set retired_at = $2 where id = $1 and retired_at is null and written < $3', [
      id,
      this.now(),
      cutoff,
    ]);
  }
}
