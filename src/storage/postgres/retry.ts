import { setTimeout as pause } from 'node:timers/promises';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { StoreUnavailableError } from '../../kernel/event-store.js';
import { isTransientFault } from './database-fault.js';

/** Milliseconds that a caller waits for a database that is unavailable. */
export const PATIENCE_MS = 10_000;

/** Timeout of a query. The pool removes a connection whose query times out. */
export const QUERY_TIMEOUT = { query_timeout: PATIENCE_MS };

/** Pause between two attempts, in milliseconds. */
export const RETRY_PAUSE_MS = 100;

/** Calls `ask` until the database responds. Throws `StoreUnavailableError` after ten seconds. */
export async function withRetry<Answer>(ask: () => Promise<Answer>, isTransient = isTransientFault): Promise<Answer> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (performance.now() > deadline)
        throw new StoreUnavailableError('The database is not responding.', { cause: error });
      await pause(RETRY_PAUSE_MS);
    }
  }
}

/** Calls `ask` until the database responds. Resolves to undefined as soon as `signal` aborts. */
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
      await orAborted(pause(RETRY_PAUSE_MS), signal);
    }
  }
  return undefined;
}
