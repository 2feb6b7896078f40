import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { copyConnectionOptions } from '../../storage/postgres/connection-options.js';
import type { AnyReadModel } from '../read-model.js';
import { SESSION } from './rebuilds.js';

/** First key of the advisory locks for rebuilding read models. The second key identifies the model. */
const REBUILD_LOCK = 7_304;

/** Thrown if another process is rebuilding the same model. */
export class RebuildInProgressError extends Error {
  override readonly name = 'RebuildInProgressError';
}

/** Ensures that only one database session at a time rebuilds a model. A lock is held until the session ends. */
export class RebuildSessions {
  constructor(private readonly pool: Pool) {}

  /** Opens a separate database connection, because the pool is reserved for requests. */
  async open(): Promise<Client> {
    const client = new Client({ ...copyConnectionOptions(this.pool), application_name: SESSION });
    client.on('error', () => undefined); // The running query reports this error.
    await client.connect();
    return client;
  }

  /**
   * Locks each model while `work` runs. If the session ends, the locks are released and the signal for `work` aborts.
   * If a model is already locked, `whenLocked` determines whether to wait or to throw `RebuildInProgressError`.
   */
  async withModelLocks(
    models: readonly AnyReadModel[],
    whenLocked: 'wait' | 'refuse',
    signal: AbortSignal,
    work: (session: Client, signal: AbortSignal) => Promise<void>,
  ) {
    const session = await this.open();
    const ended = new AbortController();
    session.once('end', () => ended.abort(new Error('The rebuild’s database session was closed.')));
    const either = AbortSignal.any([signal, ended.signal]);
    try {
      for (const name of models.map((model) => model.name).sort()) {
        while (!(await this.#locked(session, name))) {
          if (whenLocked === 'refuse') throw new RebuildInProgressError(`${name} is being rebuilt by another process.`);
          await delay(200, undefined, { signal: either });
        }
      }
      await work(session, either);
    } finally {
      await session.end().catch(alreadyGone);
    }
  }

  async #locked(session: Client, name: string): Promise<boolean> {
    const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
      REBUILD_LOCK,
      name,
    ]);
    return rows[0]?.taken ?? false;
  }
}
