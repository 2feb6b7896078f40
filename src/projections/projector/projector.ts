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
import { DEAD_LETTERS, DeadLetterStore, isFaultOfTheRow } from './dead-letters.js';
import { ReadModelTable } from './read-model-table.js';

/** Key of the advisory lock for creating the tables. */
const SCHEMA_LOCK = 7_302_001;

/**
 * Interval at which a projector rereads its model's checkpoint. Batches are committed asynchronously, so a crash of the
 * database can undo the last ones while this process keeps running.
 */
const REREAD_CHECKPOINT_MS = 5_000;

/**
 * Keeps read models up to date with the event log. Any number of processes can update a model: whichever process
 * succeeds in moving the checkpoint past a batch writes that batch, in the same transaction. The others continue from
 * the new checkpoint.
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

  /** Updates the read models until `signal` aborts. Resolves once their tables exist. */
  async start(models: readonly AnyReadModel[], signal: AbortSignal) {
    await this.prepare(models);
    for (const model of models) await this.#retry(model);
    this.#running = Promise.all(models.map((model) => this.run(model, signal)));
  }

  /** Resolves when the last batch of events is written. Must be called after the signal was aborted. */
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

  /** Retries events that an earlier version of Stele could not apply. This version may be able to apply them. */
  async #retry(model: AnyReadModel) {
    const letters = new DeadLetterStore(model, new ReadModelTable(this.db, model));
    await letters.retry(this.pool, this.store).catch(this.taskOf(model.name).failed);
  }

  /** Keeps one model up to date until `signal` aborts. Reports errors to its background task and retries. */
  async run(model: AnyReadModel, signal: AbortSignal): Promise<void> {
    const letters = new DeadLetterStore(model, new ReadModelTable(this.db, model));
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

  /**
   * Follows the event log until `signal` aborts or another process moves the checkpoint. If the checkpoint was moved,
   * the caller must read it again.
   */
  async #follow(model: AnyReadModel, letters: DeadLetterStore, signal: AbortSignal) {
    let before = await this.checkpoints.read(model);
    for await (const batch of this.store.follow(before, signal)) {
      const after = batch.at(-1)?.position ?? before;
      const isMoved = concerns(model, batch)
        ? await this.#apply(model, letters, batch, before, after)
        : await this.#skipper.skip(model, before, after);
      if (!isMoved) return;
      this.checkpoints.advanced(model, after);
      before = after;
      // Pause between batches, but only while no reader is waiting. Without pauses, updating the read models would take
      // longer than the writes that cause the updates.
      const pauseMs = batchPauseMs(batch.length);
      if (pauseMs > 0) await this.checkpoints.pauseUnlessAwaited(pauseMs, signal);
    }
  }

  async #apply(
    model: AnyReadModel,
    letters: DeadLetterStore,
    batch: readonly Recorded[],
    before: bigint,
    after: bigint,
    how: 'apply' | 'applyEach' = 'apply',
  ): Promise<boolean> {
    const client = await this.pool.connect();
    try {
      // Commit asynchronously. A crash can undo the last batches, but it undoes rows together with their checkpoint, so
      // the events are simply applied again.
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
      // If the connection is lost, the rollback fails, but the transaction has ended with the connection.
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
    // If the model can't read an event, apply the batch anyway, so that the event becomes a dead letter.
    return true;
  }
}
