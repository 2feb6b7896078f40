import type { ClientBase } from 'pg';
import type { Recorded } from '../../kernel/event-store.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import { foldBatch } from '../projector/fold-batch.js';
import type { ReadModelTable } from '../projector/read-model-table.js';
import { RowCache } from '../projector/row-cache.js';
import type { AnyReadModel } from '../read-model.js';
import { CopyIn, RejectedRowError } from './copy-in.js';

/** Thrown if the event at this position cannot be applied to the read model. The rebuild is discarded. */
export class UnappliableEventError extends Error {
  override readonly name = 'UnappliableEventError';
  constructor(model: string, position: bigint, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`Cannot build the read model ${model}, because the event at position ${position} cannot be applied: ${why}`, {
      cause,
    });
  }
}

/**
 * A read model’s table that is built next to the live one. Rows are loaded by COPY, before the key and indexes are
 * added. If a model changes rows, recently used ones are kept in memory; the others are read back from the table when
 * needed.
 */
export class ShadowTable {
  readonly #copy: CopyIn;
  readonly #cache: RowCache;
  #hasKey = false;
  /** Sites that were removed. Their rows are deleted once all rows are in the table. */
  readonly #forgotten = new Set<string>();

  constructor(
    readonly model: AnyReadModel,
    readonly table: ReadModelTable,
    /** A database connection that only this table uses, outside of transactions. */
    private readonly client: ClientBase,
    rowsInMemory: number,
  ) {
    this.#copy = new CopyIn(client, table.copy, table.properties);
    this.#cache = new RowCache(Math.ceil(rowsInMemory / 2));
  }

  /** Applies a batch of events to the table. Throws `UnappliableEventError` if an event cannot be applied. */
  async fold(batch: readonly Recorded[]): Promise<void> {
    for (const event of batch) {
      const siteId = this.#try(event, () => this.model.forgets(event));
      if (siteId !== null) this.#forgotten.add(siteId);
    }
    try {
      await (this.model.appendOnly ? this.#add(batch) : this.#change(batch));
    } catch (error) {
      throw error instanceof RejectedRowError
        ? new UnappliableEventError(this.model.name, error.position, error)
        : error;
    }
  }

  /** Completes the table: writes all remaining rows, and adds the key and the indexes. */
  async complete(): Promise<void> {
    try {
      // Evict both generations of the cache, one with each call.
      await this.#spill();
      await this.#spill();
      await this.#copy.end();
    } catch (error) {
      throw error instanceof RejectedRowError
        ? new UnappliableEventError(this.model.name, error.position, error)
        : error;
    }
    // Raise PostgreSQL's memory limit, so that an index is sorted in a single pass instead of many.
    await this.client.query("set maintenance_work_mem = '128MB'");
    if (!this.#hasKey) await this.table.addKey(this.client);
    await this.table.addIndexes(this.client);
    await this.table.removeOf(this.client, [...this.#forgotten]);
  }

  /** Applies later events to the complete table, through any database connection. Throws `UnappliableEventError`. */
  async apply(db: Queryable, batch: readonly Recorded[]): Promise<void> {
    const { rows, removed, forgotten, faults } = await foldBatch(this.model, batch, (keys) =>
      this.table.load(db, keys),
    );
    for (const { event, error } of faults) throw new UnappliableEventError(this.model.name, event.position, error);
    await this.table.removeOf(db, forgotten);
    await this.table.upsert(db, rows);
    await this.table.remove(db, removed);
  }

  async #add(batch: readonly Recorded[]) {
    for (const event of batch) {
      this.#try(event, () => {
        for (const key of this.model.touches(event)) {
          const row = this.model.evolve(undefined, event, key);
          if (row) this.#copy.add(row, event.position);
        }
      });
    }
    await this.#copy.flow();
  }

  async #change(batch: readonly Recorded[]) {
    const touched = batch.map((event) => this.#try(event, () => this.model.touches(event)));
    if (this.#hasKey) await this.#reload(new Set(touched.flat()));
    batch.forEach((event, n) => {
      for (const key of touched[n] ?? []) {
        const row = this.#try(event, () => this.model.evolve(this.#cache.get(key), event, key));
        if (row) this.#cache.set(key, row, event.position);
        else this.#cache.delete(key);
      }
    });
    if (!this.#cache.isFull) return;
    const rows = await this.#spill();
    await this.#copy.end();
    if (this.#hasKey || rows === 0) return;
    await this.table.addKey(this.client);
    this.#hasKey = true;
  }

  /** Writes the rows that the cache evicts to the table, and returns their number. */
  async #spill(): Promise<number> {
    let rows = 0;
    for (const { row, position } of this.#cache.evict()) {
      try {
        this.#copy.add(row, position);
      } catch (error) {
        throw new UnappliableEventError(this.model.name, position, error);
      }
      if (++rows % 1_000 === 0) await this.#copy.flow();
    }
    return rows;
  }

  async #reload(keys: ReadonlySet<string>) {
    const missing = [...keys].filter((key) => !this.#cache.has(key));
    if (missing.length === 0) return;
    // The positions of rows that were read back are unknown. A position is only needed if PostgreSQL rejects a row, but
    // it has already accepted these rows, so 0 suffices.
    for (const [key, row] of await this.table.takeOut(this.client, missing)) this.#cache.set(key, row, 0n);
  }

  #try<Value>(event: Recorded, apply: () => Value): Value {
    try {
      return apply();
    } catch (error) {
      throw new UnappliableEventError(this.model.name, event.position, error);
    }
  }
}
