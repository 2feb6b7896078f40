import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { ReadModelWaiter } from '../../kernel/ports/read-models.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import type { AnyReadModel } from '../read-model.js';

export const CHECKPOINTS = `
create table if not exists checkpoints (
  name text not null,
  version integer not null,
  position bigint not null default 0,
  primary key (name, version)
);
-- Number of streams at which the model has stopped, one for each dead letter.
alter table checkpoints add column if not exists stopped integer not null default 0;
-- When a process last reported that it maintains this version of the model.
alter table checkpoints add column if not exists kept_at timestamptz not null default now()`;

/**
 * Interval at which checkpoints are read from the database while a reader waits for one. Another process may be
 * updating the models.
 */
const READ_EVERY_MS = 25;

/**
 * The positions in the event log that read models have reached. They are updated in the transaction that writes the
 * rows.
 */
export class Checkpoints extends ReadModelWaiter {
  readonly #known = new Map<string, bigint>();
  readonly #moved = new EventEmitter().setMaxListeners(0);
  readonly #awaited = new EventEmitter().setMaxListeners(0);
  #waiters = 0;
  #isReading = false;

  constructor(
    private readonly pool: Pool,
    private readonly models: readonly AnyReadModel[],
    private readonly patienceMs = 2_000,
  ) {
    super();
  }

  async create(model: AnyReadModel) {
    await this.pool.query('insert into checkpoints values ($1, $2, 0) on conflict do nothing', [
      model.name,
      model.version,
    ]);
  }

  /**
   * Reports whether the tables of all models exist in their current version. The table of checkpoints must already
   * exist (`Projector.prepare` creates it).
   */
  async exist(): Promise<boolean> {
    const { rows } = await this.pool.query<{ name: string; version: number }>('select name, version from checkpoints');
    return this.models.every((model) =>
      rows.some(({ name, version }) => name === model.name && version === model.version),
    );
  }

  async read(model: AnyReadModel, db: Queryable = this.pool): Promise<bigint> {
    const { rows } = await db.query<{ position: string }>(
      'select position from checkpoints where name = $1 and version = $2',
      [model.name, model.version],
    );
    const position = BigInt(rows[0]?.position ?? 0);
    // Store the last position that was read from the database. It may be lower than the previous one, because a crash
    // of the database can lose the last batches.
    this.#known.set(model.name, position);
    this.#moved.emit('moved');
    return position;
  }

  /**
   * Moves a model's checkpoint. Returns the model's number of stopped streams, or null if another process has already
   * moved the checkpoint.
   */
  async move(db: Queryable, model: AnyReadModel, before: bigint, after: bigint): Promise<number | null> {
    const { rows } = await db.query<{ stopped: number }>(
      'update checkpoints set position = $4 where name = $1 and version = $2 and position = $3 returning stopped',
      [model.name, model.version, String(before), String(after)],
    );
    return rows[0]?.stopped ?? null;
  }

  /**
   * Returns the number of stopped streams of each model of this process, according to the database. A stream is stopped
   * if an event could not be applied.
   */
  async stopped(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ name: string; version: number; stopped: number }>(
      'select name, version, stopped from checkpoints',
    );
    const of = (model: AnyReadModel) =>
      rows.find(({ name, version }) => name === model.name && version === model.version)?.stopped ?? 0;
    return new Map(this.models.map((model) => [model.name, of(model)]));
  }

  /** Records the position that a model has reached, and wakes readers that wait for it. */
  advanced(model: AnyReadModel, position: bigint) {
    if (position <= (this.#known.get(model.name) ?? -1n)) return;
    this.#known.set(model.name, position);
    this.#moved.emit('moved');
  }

  /** Returns the position of the model that is furthest behind, as far as this process knows. */
  lowest(): bigint {
    return this.models.map(({ name }) => this.#known.get(name) ?? 0n).reduce((a, b) => (a < b ? a : b));
  }

  /** Returns the position of the model that is furthest behind, according to the database. */
  async readLowest(): Promise<bigint> {
    const { rows } = await this.pool.query<{ name: string; version: number; position: string }>(
      'select name, version, position from checkpoints',
    );
    for (const model of this.models) {
      const row = rows.find(({ name, version }) => name === model.name && version === model.version);
      this.#known.set(model.name, BigInt(row?.position ?? 0));
    }
    this.#moved.emit('moved');
    return this.lowest();
  }

  /**
   * Waits for the given time. Ends early when `signal` aborts, or when a reader in this process starts waiting for read
   * models.
   */
  async pauseUnlessAwaited(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#waiters > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // Don't use `AbortSignal.any`: combining abort signals for each batch would take longer than everything else here.
    const timer = setTimeout(resolve, milliseconds);
    this.#awaited.once('awaited', resolve);
    await orAborted(promise, signal);
    clearTimeout(timer);
    this.#awaited.off('awaited', resolve);
  }

  override async reached(position: bigint): Promise<bigint> {
    if (this.lowest() >= position) return this.lowest();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (this.lowest() >= position) resolve();
    };
    const timer = setTimeout(resolve, this.patienceMs);
    this.#moved.on('moved', look);
    this.#waiters++;
    this.#awaited.emit('awaited');
    void this.#readForWaiters();
    await promise;
    this.#waiters--;
    this.#moved.off('moved', look);
    clearTimeout(timer);
    return this.lowest();
  }

  /**
   * Polls the checkpoints for all waiting readers. Even if a query fails or gets no response, the readers get the last
   * known position on time.
   */
  async #readForWaiters() {
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#waiters > 0) {
      await Promise.race([this.readLowest(), pause(this.patienceMs, undefined, { ref: false })]).catch(ignoreFault);
      await pause(READ_EVERY_MS);
    }
    this.#isReading = false;
  }
}
