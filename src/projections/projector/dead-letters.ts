import { DatabaseError, type Pool } from 'pg';
import type { EventStore, Recorded } from '../../kernel/event-store.js';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import type { Queryable } from '../../storage/postgres/queryable.js';
import type { AnyReadModel } from '../read-model.js';
import { type FoldFault, foldBatch } from './fold-batch.js';
import type { ReadModelTable } from './read-model-table.js';

export const DEAD_LETTERS = `
create table if not exists dead_letters (
  model    text        not null,
  version  integer     not null,
  stream   text        not null,
  position bigint      not null,
  revision integer     not null,
  type     text        not null,
  error    text        not null,
  at       timestamptz not null default now(),
  primary key (model, version, stream)
)`;

/**
 * A stream at which a read model has stopped. An event could not be applied, so all later events of the stream wait.
 */
export type DeadLetter = {
  readonly stream: string;
  /** Position of the event in the event log, as a decimal number. */
  readonly position: string;
  readonly type: string;
  readonly error: string;
};

/**
 * Reports whether the error was caused by the data: the database rejected a value (class 22) or a constraint was
 * violated (class 23). A retry would fail as well.
 */
export const isFaultOfTheRow = (error: unknown) => error instanceof DatabaseError && /^2[23]/.test(error.code ?? '');

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Applies events to a model’s table, within a transaction that has locked the model’s checkpoint. An event that cannot
 * be applied becomes a dead letter and stops only its own stream.
 */
export class DeadLetterStore {
  readonly #identity: readonly [name: string, version: number];

  constructor(
    private readonly model: AnyReadModel,
    private readonly table: ReadModelTable,
  ) {
    this.#identity = [model.name, model.version];
  }

  /**
   * Applies a batch of events. `stopped` is the number of stopped streams recorded in the checkpoint. If this throws
   * because the database rejects a row, the caller must use `applyEach`.
   */
  async apply(db: Queryable, batch: readonly Recorded[], stopped: number): Promise<void> {
    await this.#write(db, stopped > 0 ? await this.#without(db, batch) : batch);
  }

  /** Applies the events of a batch one at a time. This is slow, but finds the event whose row the database rejects. */
  async applyEach(db: Queryable, batch: readonly Recorded[], stopped: number): Promise<void> {
    const events = stopped > 0 ? await this.#without(db, batch) : batch;
    const faulty = new Set<string>();
    for (const event of events) {
      if (faulty.has(event.stream)) continue;
      await db.query('savepoint event');
      try {
        for (const fault of await this.#write(db, [event])) faulty.add(fault.event.stream);
      } catch (error) {
        if (!isFaultOfTheRow(error)) throw error;
        await db.query('rollback to savepoint event');
        await this.#putAway(db, { event, error });
        faulty.add(event.stream);
      }
      await db.query('release savepoint event');
    }
  }

  async list(db: Queryable): Promise<DeadLetter[]> {
    const { rows } = await db.query<DeadLetter>(
      'select stream, position, type, error from dead_letters where model = $1 and version = $2 order by position',
      [...this.#identity],
    );
    return rows;
  }

  /**
   * Applies events of stopped streams again, up to the checkpoint. Returns how many streams have continued, and how
   * many are still stopped.
   */
  async retry(pool: Pool, store: EventStore): Promise<{ readonly applied: number; readonly left: number }> {
    const letters = await this.list(pool);
    for (const { stream } of letters) await this.#retryStream(pool, store, stream);
    const left = (await this.list(pool)).length;
    return { applied: Math.max(0, letters.length - left), left };
  }

  async #retryStream(pool: Pool, store: EventStore, stream: string): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      // Lock the model's checkpoint, which blocks its projector until this transaction ends. The projector thus applies
      // later events after the waiting ones.
      const checkpoint = await client.query<{ position: string }>(
        'select position from checkpoints where name = $1 and version = $2 for update',
        [...this.#identity],
      );
      const letter = await client.query<{ revision: number }>(
        'delete from dead_letters where model = $1 and version = $2 and stream = $3 returning revision',
        [...this.#identity, stream],
      );
      const [first] = letter.rows;
      if (first) {
        await this.#count(client, -1);
        const { events } = await store.read(stream, first.revision - 1);
        const reached = BigInt(checkpoint.rows[0]?.position ?? 0);
        await this.applyEach(
          client,
          events.filter(({ position }) => position <= reached),
          0,
        );
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(endedWithConnection);
      throw error;
    } finally {
      client.release();
    }
  }

  async #without(db: Queryable, batch: readonly Recorded[]): Promise<readonly Recorded[]> {
    const { rows } = await db.query<{ stream: string }>(
      'select stream from dead_letters where model = $1 and version = $2 and stream = any($3)',
      [...this.#identity, [...new Set(batch.map(({ stream }) => stream))]],
    );
    const stopped = new Set(rows.map(({ stream }) => stream));
    return batch.filter(({ stream }) => !stopped.has(stream));
  }

  async #write(db: Queryable, events: readonly Recorded[]): Promise<readonly FoldFault[]> {
    const { rows, removed, forgotten, faults } = await foldBatch(this.model, events, (keys) =>
      this.table.load(db, keys),
    );
    await this.table.removeOf(db, forgotten);
    await this.table.upsert(db, rows);
    await this.table.remove(db, removed);
    for (const fault of faults) await this.#putAway(db, fault);
    return faults;
  }

  async #putAway(db: Queryable, { event, error }: FoldFault) {
    const { stream, position, revision, type } = event;
    await db.query(
      'insert into dead_letters (model, version, stream, position, revision, type, error) values ($1, $2, $3, $4, $5, $6, $7)',
      [...this.#identity, stream, String(position), revision, type, wordsOf(error).slice(0, 2_000)],
    );
    await this.#count(db, 1);
  }

  async #count(db: Queryable, more: number) {
    await db.query('update checkpoints set stopped = stopped + $3 where name = $1 and version = $2', [
      ...this.#identity,
      more,
    ]);
  }
}
