import type { Pool } from 'pg';
import { answerTo } from '../../postgres/database-fault.js';
import { headerBytes } from '../packs/pack.format.js';

export type PackState = {
  readonly id: string;
  readonly retiredAt: Date | null;
  /** Contents that the index points to in it. */
  readonly blobs: number;
  /** Their bytes, headers included. */
  readonly live: number;
};

/** Which packs there are under this index, and how each of them stands. */
export class PackTable {
  constructor(
    private readonly pool: Pool,
    private readonly now: () => Date,
  ) {}

  /** Before the pack is created. */
  async register(id: string): Promise<void> {
    await answerTo(this.pool.query('insert into packs (id, written) values ($1, $2)', [id, this.now()]));
  }

  /** Registers a pack that is on the storage, known or not; rows may point to it from now on. */
  async adopt(id: string): Promise<void> {
    await this.pool.query(
      `insert into packs (id, written) values ($1, $2)
       on conflict (id) do update set written = excluded.written, retired_at = null`,
      [id, this.now()],
    );
  }

  /** After the pack's bytes were removed. */
  async forget(id: string): Promise<void> {
    await answerTo(this.pool.query('delete from packs where id = $1', [id]));
  }

  /** Packs that no rows came to point to since `cutoff`: no process writes to them any more (`OpenPacks`). */
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
   * From now on no row can come to point to it: adding rows updates the pack's row first, which this statement
   * either waits for, and then finds the pack written to, or precedes, and then those rows are refused.
   */
  async retire(id: string, cutoff: Date): Promise<void> {
    await this.pool.query('update packs set retired_at = $2 where id = $1 and retired_at is null and written < $3', [
      id,
      this.now(),
      cutoff,
    ]);
  }
}
