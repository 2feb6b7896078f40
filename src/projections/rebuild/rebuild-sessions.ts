import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { connectionOf } from '../../storage/postgres/connection-of.js';
import type { AnyReadModel } from '../read-model.js';
import { SESSION } from './rebuilds.js';

/** Advisory locks of rebuilds, a class of their own; the second key is the model. */
const REBUILD_LOCK = 7_304;

/** Another rebuild of the same model is under way. */
export class AlreadyRebuilding extends Error {
  override readonly name = 'AlreadyRebuilding';
}

/** Who may rebuild a model: one session of the database at a time, for as long as it lasts. */
export class RebuildSessions {
  constructor(private readonly pool: Pool) {}

  /** A connection of its own: the pool is for those who answer requests. */
  async open(): Promise<Client> {
    const client = new Client({ ...connectionOf(this.pool), application_name: SESSION });
    client.on('error', () => undefined); // the query under way says so
    await client.connect();
    return client;
  }

  /**
   * Holds the lock of each model while `work` goes on; its signal aborts also when the session ends, and the locks with
   * it. A model that is locked is waited for, or makes it throw `AlreadyRebuilding`.
   */
  async withModelLocks(
    models: readonly AnyReadModel[],
    whenLocked: 'wait' | 'refuse',
    signal: AbortSignal,
    work: (session: Client, signal: AbortSignal) => Promise<void>,
  ) {
    const session = await this.open();
    const ended = new AbortController();
    session.once('end', () => ended.abort(new Error('The database session of the rebuild has ended.')));
    const either = AbortSignal.any([signal, ended.signal]);
    try {
      for (const name of models.map((model) => model.name).sort()) {
        while (!(await this.#locked(session, name))) {
          if (whenLocked === 'refuse') throw new AlreadyRebuilding(`${name} is being rebuilt by another process.`);
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
