import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../kernel/event-store.js';

/** How long a caller is kept waiting for a database that is away, in milliseconds. */
export const PATIENCE = 10_000;

/** For each query: a connection that has gone silent is given up and leaves the pool. */
export const ANSWER_IN_TIME = { query_timeout: PATIENCE };

/** Between two tries, in milliseconds. */
export const RETRY_PAUSE = 100;

/**
 * SQLSTATEs that say nothing about the statement: connection trouble (08), too many connections (53300), shut down or
 * starting up (57P0x), a replica after a failover (25006), lost to another transaction (40001, 40P01).
 */
const passing = /^(08...|53300|57P0.|25006|40001|40P01)$/;

/** Whether asking the same again may help. What the server said is known by its code; all else is the connection's. */
export function isAway(error: unknown): boolean {
  return error instanceof DatabaseError ? passing.test(error.code ?? '') : !(error instanceof TypeError);
}

/** Asks until the database answers; `StoreUnavailable` after ten seconds without an answer. */
export async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (performance.now() > deadline) throw new StoreUnavailable('The database does not answer.', { cause: error });
      await pause(RETRY_PAUSE);
    }
  }
}

/** Asks until the database answers, however long that takes; undefined once `signal` aborts, and then at once. */
export async function untilAborted<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  while (!signal.aborted) {
    try {
      return await orAborted(ask(), signal);
    } catch (error) {
      if (!isAway(error)) throw error;
      await orAborted(pause(RETRY_PAUSE), signal);
    }
  }
  return undefined;
}

/** What the promise resolves to, or undefined as soon as `signal` aborts. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
