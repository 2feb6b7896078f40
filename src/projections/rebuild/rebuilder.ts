import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { EventStore } from '../../kernel/event-store.js';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { alreadyGone, leftToCleaning, waitEnded } from '../../kernel/faults/ignored-fault.js';
import type { AnyReadModel } from '../read-model.js';
import type { ReportProgress } from './rebuild-progress.js';
import { RebuildSessions } from './rebuild-sessions.js';
import { Rebuilds } from './rebuilds.js';
import { ShadowLoader } from './shadow-loader.js';
import { type ShadowTable, UnappliableEventError } from './shadow-table.js';
import { TableSwap } from './table-swap.js';
import { readCheckpoint, type Verification, Verifier } from './verifier.js';

/** Maximum number of rows in memory, for all models together. They use about 20 MB. */
const ROWS_IN_MEMORY = 20_000;

const building = new BackgroundTask('build_read_models');
const sweeping = new BackgroundTask('sweep_rebuilds');

/**
 * Rebuilds read models from the first event in shadow tables next to the live ones, then replaces the live ones with
 * them. All work is done in one database session, which holds an advisory lock for each model. However the session
 * ends, the locks are released, and the next rebuild removes leftover tables.
 */
export class Rebuilder {
  readonly #sessions: RebuildSessions;
  readonly #rebuilds: Rebuilds;
  readonly #loader: ShadowLoader;
  readonly #tableSwap: TableSwap;
  readonly #verifier: Verifier;

  constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
    db: DataSource,
    models: readonly AnyReadModel[],
    rowsInMemory = ROWS_IN_MEMORY,
  ) {
    this.#sessions = new RebuildSessions(pool);
    this.#rebuilds = new Rebuilds(pool, db, models);
    this.#loader = new ShadowLoader(store, this.#sessions, this.#rebuilds, rowsInMemory);
    this.#tableSwap = new TableSwap(store, pool, db, this.#rebuilds, this.#loader);
    this.#verifier = new Verifier(db, this.#loader);
  }

  /**
   * Returns the models without a table for this version, or no models if the log is empty. `Projector.prepare` must be
   * called first.
   */
  async missing(models: readonly AnyReadModel[]): Promise<AnyReadModel[]> {
    const { rows } = await this.pool.query<{ name: string; version: number }>('select name, version from checkpoints');
    const missing = models.filter(
      (model) => !rows.some(({ name, version }) => name === model.name && version === model.version),
    );
    return missing.length > 0 && (await this.store.lastPosition()) > 0n ? missing : [];
  }

  /**
   * Builds missing models. If several processes start at the same time, one builds the models and the others wait.
   * Starts over after a database error. Throws `UnappliableEventError`.
   */
  async buildMissing(models: readonly AnyReadModel[], signal: AbortSignal, report: ReportProgress): Promise<void> {
    for (;;) {
      try {
        const missing = await this.missing(models);
        if (missing.length === 0 || signal.aborted) return building.succeeded();
        await this.#sessions.withModelLocks(missing, 'wait', signal, async (session, ended) => {
          const still = await this.missing(missing);
          if (still.length > 0) await this.#build(session, still, ended, report);
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof UnappliableEventError) throw error;
        building.failed(error);
        await delay(1_000, undefined, { signal }).catch(waitEnded);
      }
    }
  }

  /** Rebuilds models and replaces their live tables. Throws `RebuildInProgressError` and `UnappliableEventError`. */
  async rebuild(models: readonly AnyReadModel[], signal: AbortSignal, report: ReportProgress): Promise<void> {
    await this.#sessions.withModelLocks(models, 'refuse', signal, (session, ended) =>
      this.#build(session, models, ended, report),
    );
  }

  /** Compares each live table with a rebuilt one at the same position. Throws `UnappliableEventError`. */
  async verify(models: readonly AnyReadModel[], signal: AbortSignal, report: ReportProgress): Promise<Verification[]> {
    const session = await this.#sessions.open();
    const shadows: ShadowTable[] = [];
    try {
      // Read the log only up to the position of the live table that is furthest behind, so that no rebuilt table is
      // ahead of its live table.
      let last = await this.store.lastPosition();
      for (const model of models) {
        const checkpoint = await readCheckpoint(session, model);
        if (checkpoint < last) last = checkpoint;
      }
      const reporting = { models: models.map(({ name }) => name), report };
      const position = await this.#loader.fold(session, models, 'checking', shadows, last, signal, reporting);
      const verifications: Verification[] = [];
      for (const shadow of shadows) {
        report({ models: reporting.models, phase: 'comparing', position, last, events: 0 });
        verifications.push(await this.#verifier.compare(session, shadow, position, signal));
      }
      return verifications;
    } finally {
      await session.end().catch(alreadyGone);
      await this.#dropTables(shadows);
    }
  }

  sweep = () => this.#rebuilds.sweep();

  states = () => this.#rebuilds.list();

  /**
   * Calls `sweep` periodically until `signal` aborts. If the database is unavailable, tries again at the next
   * interval.
   */
  async sweepPeriodically(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sweeping.run(this.sweep);
      await delay(everyMs, undefined, { signal }).catch(waitEnded);
    }
  }

  async #build(session: Client, models: readonly AnyReadModel[], signal: AbortSignal, report: ReportProgress) {
    await this.sweep();
    const shadows: ShadowTable[] = [];
    try {
      const reporting = { models: models.map(({ name }) => name), report };
      const last = await this.store.lastPosition();
      const position = await this.#loader.fold(session, models, 'building', shadows, last, signal, reporting);
      for (const shadow of shadows) {
        report({ models: reporting.models, phase: 'swapping', position, last, events: 0 });
        await this.#tableSwap.swap(session, shadow, position, signal);
      }
    } finally {
      await this.#dropTables(shadows);
    }
  }

  async #dropTables(shadows: readonly ShadowTable[]) {
    for (const { table } of shadows) await this.#rebuilds.drop(table.name).catch(leftToCleaning);
  }
}
