import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { StoreUnavailable } from '../../kernel/event-store.js';
import { isTransientFault } from './database-fault.js';

/** How long a caller is kept waiting for a database that is away, in milliseconds. */
export const PATIENCE = 10_000;

/** For each query: a connection that has gone silent is given up and leaves the pool. */
export const QUERY_TIMEOUT = { query_timeout: PATIENCE };

/** Between two tries, in milliseconds. */
export const RETRY_PAUSE = 100;

/** Asks until the database answers; `StoreUnavailable` after ten seconds without an answer. */
export async function withRetry<Answer>(ask: () => Promise<Answer>, isTransient = isTransientFault): Promise<Answer> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (performance.now() > deadline) throw new StoreUnavailable('The database is not responding.', { cause: error });
      await pause(RETRY_PAUSE);
    }
  }
}

/** Asks until the database answers, however long that takes; undefined once `signal` aborts, and then at once. */
export async function retryUntilAborted<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  isTransient = isTransientFault,
): Promise<Answer | undefined> {
  while (!signal.aborted) {
    try {
      return await orAborted(ask(), signal);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await orAborted(pause(RETRY_PAUSE), signal);
    }
  }
  return undefined;
}
