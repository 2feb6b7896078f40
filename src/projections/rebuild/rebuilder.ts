import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { BackgroundTask } from '../../kernel/background-task.js';
import type { EventStore } from '../../kernel/event-store.js';
import { alreadyGone, leftToCleaning, waitEnded } from '../../kernel/ignored-fault.js';
import type { AnyReadModel } from '../read-model.js';
import type { Tell } from './rebuild-progress.js';
import { RebuildSessions } from './rebuild-sessions.js';
import { Rebuilds } from './rebuilds.js';
import { ShadowLoader } from './shadow-loader.js';
import { CannotApply, type ShadowTable } from './shadow-table.js';
import { TableSwap } from './table-swap.js';
import { checkpointOf, type Verification, Verifier } from './verifier.js';

/** Rows of all models that change rows, held at once: about 20 MB. */
const ROWS_IN_MEMORY = 20_000;

const building = new BackgroundTask('build_read_models');
const sweeping = new BackgroundTask('sweep_rebuilds');

/**
 * Builds read models anew from the first event, beside the tables that are read and kept meanwhile, and swaps them in.
 *
 * The work belongs to one session of the database, which holds an advisory lock for each model and is the only one
 * that swaps: when it ends, however it ends, so does the claim, and what it left is cleared away by the next.
 */
export class Rebuilder {
  readonly #sessions: RebuildSessions;
  readonly #rebuilds: Rebuilds;
  readonly #log: ShadowLoader;
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
    this.#log = new ShadowLoader(store, this.#sessions, this.#rebuilds, rowsInMemory);
    this.#tableSwap = new TableSwap(store, pool, db, this.#rebuilds, this.#log);
    this.#verifier = new Verifier(db, this.#log);
  }

  /** Those that have no table in their version yet, in a log that has events. The books must be there: see `Keeper.prepare`. */
  async missing(models: readonly AnyReadModel[]): Promise<AnyReadModel[]> {
    const { rows } = await this.pool.query<{ name: string; version: number }>('select name, version from checkpoints');
    const missing = models.filter(
      (model) => !rows.some(({ name, version }) => name === model.name && version === model.version),
    );
    return missing.length > 0 && (await this.store.lastPosition()) > 0n ? missing : [];
  }

  /**
   * Builds what is missing, once among all processes that start; the others wait for it. Interrupted by the database,
   * it starts over. Throws `CannotApply`.
   */
  async buildMissing(models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell): Promise<void> {
    for (;;) {
      try {
        const missing = await this.missing(models);
        if (missing.length === 0 || signal.aborted) return building.succeeded();
        await this.#sessions.alone(missing, 'wait', signal, async (session, ended) => {
          const still = await this.missing(missing);
          if (still.length > 0) await this.#build(session, still, ended, tell);
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CannotApply) throw error;
        building.failed(error);
        await delay(1_000, undefined, { signal }).catch(waitEnded);
      }
    }
  }

  /** Builds these anew and swaps them in. Throws `AlreadyRebuilding` or `CannotApply`. */
  async rebuild(models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell): Promise<void> {
    await this.#sessions.alone(models, 'refuse', signal, (session, ended) => this.#build(session, models, ended, tell));
  }

  /** Folds the log afresh beside the live tables, up to where each of them is, and compares. Throws `CannotApply`. */
  async verify(models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell): Promise<Verification[]> {
    const session = await this.#sessions.open();
    const shadows: ShadowTable[] = [];
    try {
      // Each live table is at least there when it is compared.
      let last = await this.store.lastPosition();
      for (const model of models) {
        const place = await checkpointOf(session, model);
        if (place < last) last = place;
      }
      const told = { models: models.map(({ name }) => name), tell };
      const position = await this.#log.fold(session, models, 'checking', shadows, last, signal, told);
      const verdicts: Verification[] = [];
      for (const shadow of shadows) {
        tell({ models: told.models, phase: 'comparing', position, last, events: 0 });
        verdicts.push(await this.#verifier.compare(session, shadow, position, signal));
      }
      return verdicts;
    } finally {
      await session.end().catch(alreadyGone);
      await this.#clearAway(shadows);
    }
  }

  /** Clears away what nobody needs any more: see `Rebuilds.sweep`. */
  sweep = () => this.#rebuilds.sweep();

  standing = () => this.#rebuilds.list();

  /** Clears away now and then, until `signal` aborts. A database that is away is asked again the next time. */
  async sweepOn(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sweeping.run(this.sweep);
      await delay(everyMs, undefined, { signal }).catch(waitEnded);
    }
  }

  async #build(session: Client, models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell) {
    await this.sweep();
    const shadows: ShadowTable[] = [];
    try {
      const told = { models: models.map(({ name }) => name), tell };
      const last = await this.store.lastPosition();
      const position = await this.#log.fold(session, models, 'building', shadows, last, signal, told);
      for (const shadow of shadows) {
        tell({ models: told.models, phase: 'swapping', position, last, events: 0 });
        await this.#tableSwap.swap(session, shadow, position, signal);
      }
    } finally {
      await this.#clearAway(shadows);
    }
  }

  async #clearAway(shadows: readonly ShadowTable[]) {
    for (const { table } of shadows) await this.#rebuilds.drop(table.name).catch(leftToCleaning);
  }
}
