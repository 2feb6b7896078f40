import { StoreUnavailableError } from '../../kernel/event-store.js';
import { StorageFullError, storageError } from '../../kernel/faults/storage-full.js';

/**
 * SQLSTATEs of errors that the statement did not cause: connection failure (08), out of memory or connections (53200,
 * 53300), shutting down or starting up (57P0x), a replica after a failover (25006), an idle transaction that timed out
 * (25P03), and conflicts with another transaction (40001, 40P01).
 */
const passing = /^(08...|53[23]00|57P0.|25006|25P03|40001|40P01)$/;

/**
 * Reports whether retrying the statement might succeed. An error that does not come from the server means a lost
 * connection.
 */
export function isTransientFault(error: unknown): boolean {
  return isServers(error) ? passing.test(error.code) : !(error instanceof TypeError);
}

/** Only PostgreSQL’s errors have a severity (protocol documentation, "Error and Notice Message Fields"). */
function isServers(error: unknown): error is { readonly code: string } {
  return typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;
}

/**
 * Reports whether an error comes from the database. Errors of TypeORM’s queries have a `driverError`. If a connection
 * breaks between queries, the error comes from the operating system, pg or TypeORM.
 */
export function isDatabaseError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('driverError' in error || 'severity' in error) return true;
  if ('syscall' in error)
    return REACHING.has(error.syscall) || ('code' in error && BROKEN_CONNECTION.test(String(error.code)));
  return LOST_CONNECTION.test(error.message);
}

/**
 * If one of these system calls fails, the server cannot be reached. For example, `getaddrinfo` fails if the server’s
 * container is stopped.
 */
const REACHING = new Set<unknown>(['connect', 'getaddrinfo']);
const BROKEN_CONNECTION = /^(ECONN|EPIPE|ETIMEDOUT)/;
/**
 * Messages of errors that mean a lost connection. “Query runner already released” comes from TypeORM, which discards a
 * lost connection even if another query follows.
 */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered|was closed)|Query read timeout|Query runner already released)/;

/** Converts a query’s error to `StorageFullError` or `StoreUnavailableError`, or returns it unchanged. */
export function databaseFault(cause: unknown): unknown {
  const fault = storageError(cause);
  if (fault instanceof StorageFullError || !isTransientFault(cause)) return fault;
  return new StoreUnavailableError('The database is not responding.', { cause });
}

/** Milliseconds that a request waits for the response to a query. */
const PATIENCE_MS = 10_000;

/**
 * Returns a query’s result, and converts errors as `databaseFault` does. If the database does not respond, rejects
 * after ten seconds, but the query may still complete later.
 */
export async function awaitDatabase<Result>(query: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database did not respond in time.')), PATIENCE_MS);
  });
  try {
    return await Promise.race([query, late]);
  } catch (error) {
    throw databaseFault(error);
  } finally {
    clearTimeout(timer);
  }
}
