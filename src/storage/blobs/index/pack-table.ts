import type { Pool } from 'pg';
import { awaitDatabase } from '../../postgres/database-fault.js';
import { headerBytes } from '../packs/pack.format.js';

export type PackState = {
  readonly id: string;
  readonly retiredAt: Date | null;
  /** Number of index rows for the pack. */
  readonly blobs: number;
  /** Total size of their records in bytes, headers included. */
  readonly live: number;
};

/** The packs under this index, and their states. */
export class PackTable {
  constructor(
    private readonly pool: Pool,
    private readonly now: () => Date,
  ) {}

  /** Call this before the pack is created. */
  async register(id: string): Promise<void> {
    await awaitDatabase(this.pool.query('insert into packs (id, written) values ($1, $2)', [id, this.now()]));
  }

  /** Registers a pack that exists in storage, whether it is known or not. Rows can point to it from then on. */
  async adopt(id: string): Promise<void> {
    await this.pool.query(
      `insert into packs (id, written) values ($1, $2)
       on conflict (id) do update set written = excluded.written, retired_at = null`,
      [id, this.now()],
    );
  }

  /** Call this after the bytes of the pack have been removed. */
  async forget(id: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from packs where id = $1', [id]));
  }

  /**
   * Returns packs for which no rows were added since `cutoff`. Processes have stopped writing to them (`OpenPackPool`).
   */
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
   * Prevents new rows for the pack. Adding rows first updates the pack’s row. If that comes first, this statement waits
   * for it and finds that the pack was written to. If this comes first, the new rows are refused.
   */
  async retire(id: string, cutoff: Date): Promise<void> {
    await this.pool.query('update packs set retired_at = $2 where id = $1 and retired_at is null and written < $3', [
      id,
      this.now(),
      cutoff,
    ]);
  }
}
