import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError, type Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { catalogue } from '../events/catalogue.js';
import type { EventStore, Recorded } from '../kernel/event-store.js';
import type { AnyReadModel } from './read-model.js';
import { Rebuilds, SESSION } from './rebuilds.js';
import { CannotApply, Shadow } from './shadow.js';
import { type Difference, Table } from './table.js';

/** Advisory locks of rebuilds, a class of their own; the second key is the model. */
const REBUILD_LOCK = 7_304;

/** Rows of all models that change rows, held at once: about 30 MB. */
const ROWS_IN_MEMORY = 30_000;

/** How long those who read may have to wait for a swap that cannot be done yet. */
const LOCK_TIMEOUT_MS = 100;

/** Left to apply while nobody else applies anything. */
const FEW = 200n;

const TELL_MS = 500;

const MOST_DIFFERENCES = 10;

/** Another rebuild of the same model is under way. */
export class AlreadyRebuilding extends Error {
  override readonly name = 'AlreadyRebuilding';
}

export type Progress = {
  readonly models: readonly string[];
  readonly phase: 'reading' | 'indexing' | 'swapping' | 'comparing';
  readonly position: bigint;
  readonly last: bigint;
  readonly events: number;
};

export type Verdict = {
  readonly model: string;
  readonly position: bigint;
  readonly rows: number;
  readonly digest: string;
  /** What the log says the rows are. */
  readonly dueRows: number;
  readonly dueDigest: string;
  /** The first ones. */
  readonly differences: readonly Difference[];
};

type Tell = (progress: Progress) => void;

/**
 * Builds read models anew from the first event, beside the tables that are read and kept meanwhile, and swaps them in.
 *
 * The work belongs to one session of the database, which holds an advisory lock for each model and is the only one
 * that swaps: when it ends, however it ends, so does the claim, and what it left is cleared away by the next.
 */
export class Rebuilder {
  readonly #rebuilds: Rebuilds;

  constructor(
    private readonly store: EventStore,
    private readonly pool: Pool,
    private readonly db: DataSource,
    models: readonly AnyReadModel[],
    private readonly rowsInMemory = ROWS_IN_MEMORY,
  ) {
    this.#rebuilds = new Rebuilds(pool, db, models);
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
        if (missing.length === 0 || signal.aborted) return;
        await this.#alone(missing, 'wait', signal, async (session, ended) => {
          const still = await this.missing(missing);
          if (still.length > 0) await this.#build(session, still, ended, tell);
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CannotApply) throw error;
        await delay(1_000, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Builds these anew and swaps them in. Throws `AlreadyRebuilding` or `CannotApply`. */
  async rebuild(models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell): Promise<void> {
    await this.#alone(models, 'refuse', signal, (session, ended) => this.#build(session, models, ended, tell));
  }

  /** Folds the log afresh beside the live tables, up to where each of them is, and compares. Throws `CannotApply`. */
  async verify(models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell): Promise<Verdict[]> {
    const session = await this.#connected();
    const shadows: Shadow[] = [];
    try {
      // Each live table is at least there when it is compared.
      let last = await this.store.lastPosition();
      for (const model of models) {
        const place = await this.#placeOf(session, model);
        if (place < last) last = place;
      }
      const told = { models: models.map(({ name }) => name), tell };
      const position = await this.#fold(session, models, 'checking', shadows, last, signal, told);
      const verdicts: Verdict[] = [];
      for (const shadow of shadows) {
        tell({ models: told.models, phase: 'comparing', position, last, events: 0 });
        verdicts.push(await this.#compare(session, shadow, position, signal));
      }
      return verdicts;
    } finally {
      await session.end().catch(() => undefined);
      await this.#clearAway(shadows);
    }
  }

  /** Clears away what nobody needs any more: see `Rebuilds.sweep`. */
  sweep = () => this.#rebuilds.sweep();

  standing = () => this.#rebuilds.list();

  /** Clears away now and then, until `signal` aborts. A database that is away is asked again the next time. */
  async sweepOn(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sweep().catch(() => undefined);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #build(session: Client, models: readonly AnyReadModel[], signal: AbortSignal, tell: Tell) {
    await this.sweep();
    const shadows: Shadow[] = [];
    try {
      const told = { models: models.map(({ name }) => name), tell };
      const last = await this.store.lastPosition();
      const position = await this.#fold(session, models, 'building', shadows, last, signal, told);
      for (const shadow of shadows) {
        tell({ models: told.models, phase: 'swapping', position, last, events: 0 });
        await this.#swap(session, shadow, position, signal);
      }
    } finally {
      await this.#clearAway(shadows);
    }
  }

  /** New tables for the models, complete, with all events up to `last` or a little less; answers up to which. */
  async #fold(
    session: Client,
    models: readonly AnyReadModel[],
    state: 'building' | 'checking',
    shadows: Shadow[],
    last: bigint,
    signal: AbortSignal,
    { tell, ...told }: { readonly models: readonly string[]; readonly tell: Tell },
  ): Promise<bigint> {
    const clients: Client[] = [];
    const changing = models.filter(({ appendOnly }) => !appendOnly).length;
    try {
      for (const model of models) {
        const client = await this.#connected();
        clients.push(client);
        const table = await this.#rebuilds.begin(session, model, state);
        shadows.push(new Shadow(model, table, client, Math.floor(this.rowsInMemory / Math.max(1, changing))));
      }
      const tables = shadows.map(({ table }) => table);
      let position = 0n;
      let events = 0;
      let due = performance.now() + TELL_MS;
      for await (const batch of this.store.scan(0n, last, signal)) {
        for (const event of batch) this.#isKnown(event);
        await Promise.all(shadows.map((shadow) => shadow.fold(batch)));
        position = batch.at(-1)?.position ?? position;
        events += batch.length;
        if (performance.now() < due) continue;
        due = performance.now() + TELL_MS;
        await this.#rebuilds.progress(session, tables, position, last, events);
        tell({ ...told, phase: 'reading', position, last, events });
      }
      signal.throwIfAborted();
      await this.#rebuilds.progress(session, tables, position, last, events);
      tell({ ...told, phase: 'indexing', position, last, events });
      await Promise.all(shadows.map((shadow) => shadow.complete()));
      return position;
    } finally {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    }
  }

  /** In one transaction, in which nobody applies anything to the model and, for its last moment, nobody reads it. */
  async #swap(session: Client, shadow: Shadow, from: bigint, signal: AbortSignal) {
    const { model, table } = shadow;
    const live = new Table(this.db, model);
    for (let position = from; ; ) {
      position = await this.#catchUp(shadow, position, signal);
      try {
        await session.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
        // Who keeps the model takes this row first and the table after it, as we do.
        await session.query('select from checkpoints where name = $1 and version = $2 for update', [
          model.name,
          model.version,
        ]);
        const end = await this.store.lastPosition();
        await this.#apply(session, shadow, position, end, signal);
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
        await this.#rebuilds.replaced(session, table, aside, hadOne);
        await session.query('commit');
        return;
      } catch (error) {
        await session.query('rollback').catch(() => undefined);
        if (!isLockTimeout(error)) throw error;
        // Somebody reads for long. Those who want to read meanwhile have waited behind us long enough.
        await delay(300, undefined, { signal });
      }
    }
  }

  /** Until little is left that came since. */
  async #catchUp(shadow: Shadow, from: bigint, signal: AbortSignal): Promise<bigint> {
    for (let position = from; ; ) {
      const last = await this.store.lastPosition();
      if (last - position <= FEW) return position;
      await this.#apply(this.pool, shadow, position, last, signal);
      position = last;
    }
  }

  async #apply(db: Pick<Pool, 'query'>, shadow: Shadow, after: bigint, last: bigint, signal: AbortSignal) {
    for await (const batch of this.store.scan(after, last, signal)) {
      for (const event of batch) this.#isKnown(event, shadow.model.name);
      await shadow.apply(db, batch);
    }
    signal.throwIfAborted();
  }

  async #compare(session: Client, shadow: Shadow, position: bigint, signal: AbortSignal): Promise<Verdict> {
    const { model, table } = shadow;
    const live = new Table(this.db, model);
    // One moment of the live table and of its checkpoint; what is applied to catch up with it is seen too.
    await session.query('begin isolation level repeatable read');
    try {
      const place = await this.#placeOf(session, model);
      await this.#apply(session, shadow, position, place, signal);
      const [stands, due] = [await live.digest(session), await table.digest(session)];
      const same = stands.digest === due.digest && stands.rows === due.rows;
      return {
        model: model.name,
        position: place,
        ...stands,
        dueRows: due.rows,
        dueDigest: due.digest,
        differences: same ? [] : await live.differences(session, table, MOST_DIFFERENCES),
      };
    } finally {
      await session.query('rollback').catch(() => undefined);
    }
  }

  /** An event that this version has no name for may matter to a model: nobody could tell. */
  #isKnown({ type, schema, position, stream }: Recorded, model = 'asked for') {
    if (catalogue.knows(type, schema) === 'known') return;
    const what = `${type} (version ${schema} of its shape, in ${stream}) is not known to this version of the product`;
    throw new CannotApply(model, position, new Error(what));
  }

  async #placeOf(session: Client, { name, version }: AnyReadModel): Promise<bigint> {
    const { rows } = await session.query<{ position: string }>(
      'select position from checkpoints where name = $1 and version = $2',
      [name, version],
    );
    return BigInt(rows[0]?.position ?? 0);
  }

  async #clearAway(shadows: readonly Shadow[]) {
    for (const { table } of shadows) await this.#rebuilds.drop(table.name).catch(() => undefined);
  }

  /** Holds the lock of each model while `work` goes on; its signal aborts also when the session ends, and the locks with it. */
  async #alone(
    models: readonly AnyReadModel[],
    otherwise: 'wait' | 'refuse',
    signal: AbortSignal,
    work: (session: Client, signal: AbortSignal) => Promise<void>,
  ) {
    const session = await this.#connected();
    const ended = new AbortController();
    session.once('end', () => ended.abort(new Error('The session of the rebuild has ended.')));
    const either = AbortSignal.any([signal, ended.signal]);
    try {
      for (const name of models.map((model) => model.name).sort()) {
        while (!(await this.#locked(session, name))) {
          if (otherwise === 'refuse') throw new AlreadyRebuilding(`${name} is being rebuilt by another process.`);
          await delay(200, undefined, { signal: either });
        }
      }
      await work(session, either);
    } finally {
      await session.end().catch(() => undefined);
    }
  }

  async #locked(session: Client, name: string): Promise<boolean> {
    const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
      REBUILD_LOCK,
      name,
    ]);
    return rows[0]?.taken ?? false;
  }

  /** A connection of its own: the pool is for those who answer requests. */
  async #connected(): Promise<Client> {
    const client = new Client({ ...this.pool.options, application_name: SESSION });
    client.on('error', () => undefined); // the query under way says so
    await client.connect();
    return client;
  }
}

/** lock_not_available, deadlock_detected. */
const isLockTimeout = (error: unknown) =>
  error instanceof DatabaseError && (error.code === '55P03' || error.code === '40P01');
