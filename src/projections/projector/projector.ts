import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { EventStore, Recorded } from '../../kernel/event-store.js';
import { BackgroundTask, type TaskReport } from '../../kernel/faults/background-task.js';
import { endedWithConnection, waitEnded } from '../../kernel/faults/ignored-fault.js';
import { createSchema } from '../../storage/postgres/create-schema.js';
import type { AnyReadModel } from '../read-model.js';
import { REBUILDS } from '../rebuild/rebuilds.js';
import { batchPauseMs } from './batch-pause.js';
import { CheckpointSkipper } from './checkpoint-skipper.js';
import { CHECKPOINTS, type Checkpoints } from './checkpoints.js';
import { DEAD_LETTERS, DeadLetters, isFaultOfTheRow } from './dead-letters.js';
import { ReadModelTable } from './read-model-table.js';

/** Any number of processes may start at once; one at a time creates what is missing. */
const SCHEMA_LOCK = 7_302_001;

/**
 * How often a projector reads its model's checkpoint again. Batches are committed without waiting for the disk, so a
 * crash of the database may take the last ones back while this process lives on.
 */
const REREAD_CHECKPOINT_MS = 5_000;

/**
 * Keeps read models up to date from the log.
 *
 * Any number of processes may keep the same model at once: the one that moves its checkpoint from where the batch began
 * writes the batch, the others start again from where it now is. Rows and checkpoint move together or not at all.
 */
export class Projector {
  readonly #skipper: CheckpointSkipper;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
    private readonly db: DataSource,
    private readonly checkpoints: Checkpoints,
    private readonly taskOf: (model: string) => TaskReport = (model) => new BackgroundTask(`project_${model}`),
  ) {
    this.#skipper = new CheckpointSkipper(pool);
  }

  /** Resolves when the tables are there; keeps the models until `signal` aborts. */
  async start(models: readonly AnyReadModel[], signal: AbortSignal) {
    await this.prepare(models);
    for (const model of models) await this.#retry(model);
    this.#running = Promise.all(models.map((model) => this.run(model, signal)));
  }

  /** After the signal: resolves when the last batch is written. */
  async stopped() {
    await this.#running;
  }

  async prepare(models: readonly AnyReadModel[]) {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await createSchema(client, SCHEMA_LOCK, `${CHECKPOINTS}; ${DEAD_LETTERS}; ${REBUILDS}`);
      for (const model of models) await new ReadModelTable(this.db, model).create(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(endedWithConnection);
      throw error;
    } finally {
      client.release();
    }
    for (const model of models) await this.checkpoints.create(model);
  }

  /** What an older version of the product could not apply, this one may be able to. */
  async #retry(model: AnyReadModel) {
    const letters = new DeadLetters(model, new ReadModelTable(this.db, model));
    await letters.retry(this.pool, this.store).catch(this.taskOf(model.name).failed);
  }

  /**
   * Keeps one model up to date until `signal` aborts. Faults are reported to its task, and the work is tried again: a database
   * that is away comes back.
   */
  async run(model: AnyReadModel, signal: AbortSignal): Promise<void> {
    const letters = new DeadLetters(model, new ReadModelTable(this.db, model));
    const task = this.taskOf(model.name);
    while (!signal.aborted) {
      try {
        await this.#follow(model, letters, AbortSignal.any([signal, AbortSignal.timeout(REREAD_CHECKPOINT_MS)]));
        task.succeeded();
      } catch (error) {
        if (signal.aborted) return;
        task.failed(error);
        await delay(1_000, undefined, { signal }).catch(waitEnded);
      }
    }
  }

  /** Ends when another process was faster, or in time: then the checkpoint is read again. */
  async #follow(model: AnyReadModel, letters: DeadLetters, signal: AbortSignal) {
    let before = await this.checkpoints.read(model);
    for await (const batch of this.store.follow(before, signal)) {
      const after = batch.at(-1)?.position ?? before;
      const isMoved = concerns(model, batch)
        ? await this.#apply(model, letters, batch, before, after)
        : await this.#skipper.skip(model, before, after);
      if (!isMoved) return;
      this.checkpoints.advanced(model, after);
      before = after;
      // While no reader waits: without it, keeping the models costs more than the writes themselves.
      const pauseMs = batchPauseMs(batch.length);
      if (pauseMs > 0) await this.checkpoints.pauseUnlessAwaited(pauseMs, signal);
    }
  }

  async #apply(
    model: AnyReadModel,
    letters: DeadLetters,
    batch: readonly Recorded[],
    before: bigint,
    after: bigint,
    how: 'apply' | 'applyEach' = 'apply',
  ): Promise<boolean> {
    const client = await this.pool.connect();
    try {
      // A crash may lose the last batches, rows and checkpoint together: they are folded again from the log.
      await client.query('begin; set local synchronous_commit = off');
      const stopped = await this.checkpoints.move(client, model, before, after);
      if (stopped === null) {
        await client.query('rollback');
        return false;
      }
      await letters[how](client, batch, stopped);
      await client.query('commit');
      return true;
    } catch (error) {
      // The connection may be gone: then so is the transaction, and the client must not go back to the pool.
      await client.query('rollback').catch(endedWithConnection);
      if (how === 'applyEach' || !isFaultOfTheRow(error)) throw error;
    } finally {
      client.release();
    }
    return this.#apply(model, letters, batch, before, after, 'applyEach');
  }
}

function concerns(model: AnyReadModel, batch: readonly Recorded[]): boolean {
  try {
    return batch.some((event) => model.touches(event).length > 0 || model.forgets(event) !== null);
  } catch {
    // An event that cannot be judged becomes a dead letter when it is applied.
    return true;
  }
}
