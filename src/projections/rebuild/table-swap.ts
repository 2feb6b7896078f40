import { setTimeout as delay } from 'node:timers/promises';
import { type Client, DatabaseError, type Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { EventStore } from '../../kernel/event-store.js';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { ReadModelTable } from '../projector/read-model-table.js';
import type { Rebuilds } from './rebuilds.js';
import type { ShadowLoader } from './shadow-loader.js';
import type { ShadowTable } from './shadow-table.js';

/** Maximum time to wait for the lock that is needed to replace the table. Readers are blocked during that time. */
const LOCK_TIMEOUT_MS = 100;

/**
 * When at most this many log positions are left, the model is locked, and the last events are applied under the lock.
 */
const FEW = 200n;

export class TableSwap {
  constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
    private readonly db: DataSource,
    private readonly rebuilds: Rebuilds,
    private readonly loader: ShadowLoader,
  ) {}

  /**
   * Replaces the live table with the rebuilt one in one transaction. The transaction blocks updates of the model and,
   * at the very end, also readers.
   */
  async swap(session: Client, shadowTable: ShadowTable, from: bigint, signal: AbortSignal) {
    const { model, table } = shadowTable;
    const live = new ReadModelTable(this.db, model);
    for (let position = from; ; ) {
      position = await this.#catchUp(shadowTable, position, signal);
      try {
        await session.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
        // Lock the checkpoint before the table, in the same order as the projector, to prevent deadlocks.
        await session.query('select from checkpoints where name = $1 and version = $2 for update', [
          model.name,
          model.version,
        ]);
        const end = await this.store.lastPosition();
        await this.loader.apply(session, shadowTable, position, end, signal);
        const { rows } = await session.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
          `"${live.name}"`,
        ]);
        const hadOne = rows[0]?.there ?? false;
        if (hadOne) await session.query(`lock table "${live.name}" in access exclusive mode`);
        const aside = table.name.replace('_building_', '_replaced_');
        await table.swapIn(session, live, aside);
        await session.query(
          `insert into checkpoints (name, version, position) values ($1, $2, $3)
           on conflict (name, version) do update set position = excluded.position, stopped = 0, kept_at = now()`,
          [model.name, model.version, String(end)],
        );
        await session.query('delete from dead_letters where model = $1 and version = $2', [model.name, model.version]);
        await this.rebuilds.replaced(session, table, aside, hadOne);
        await session.query('commit');
        return;
      } catch (error) {
        await session.query('rollback').catch(endedWithConnection);
        if (!isLockTimeout(error)) throw error;
        // A reader of the live table is taking too long. Don't make other readers wait behind this lock.
        await delay(300, undefined, { signal });
      }
    }
  }

  /** Applies events to the rebuilt table until only a few are left. Returns the position reached. */
  async #catchUp(shadowTable: ShadowTable, from: bigint, signal: AbortSignal): Promise<bigint> {
    for (let position = from; ; ) {
      const last = await this.store.lastPosition();
      if (last - position <= FEW) return position;
      await this.loader.apply(this.pool, shadowTable, position, last, signal);
      position = last;
    }
  }
}

/** Reports whether the error is PostgreSQL's lock_not_available or deadlock_detected. */
const isLockTimeout = (error: unknown) =>
  error instanceof DatabaseError && (error.code === '55P03' || error.code === '40P01');
