import { StoreUnavailableError } from '../../kernel/event-store.js';
import { StorageFullError, storageError } from '../../kernel/faults/storage-full.js';

/**
 * SQLSTATEs of errors that are not caused by the statement itself: connection failure (08), out of memory or too many
 * connections (53200, 53300), shutting down or starting up (57P0x), a replica after a failover (25006), an idle
 * transaction that timed out (25P03), and conflicts with another transaction (40001, 40P01).
 */
const passing = /^(08...|53[23]00|57P0.|25006|25P03|40001|40P01)$/;

/**
 * Reports whether retrying the same statement might succeed. Errors from the server are identified by their code. All
 * other errors are connection failures.
 */
export function isTransientFault(error: unknown): boolean {
  return isServers(error) ? passing.test(error.code) : !(error instanceof TypeError);
}

/** Only PostgreSQL’s own errors have a severity (protocol documentation, "Error and Notice Message Fields"). */
function isServers(error: unknown): error is { readonly code: string } {
  return typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;
}

/**
 * Reports whether an error comes from the database. TypeORM wraps errors of queries in an error with a `driverError`.
 * If a connection breaks before a query, or between two queries of one read, the error comes from the operating system,
 * pg or TypeORM instead.
 */
export function isDatabaseError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('driverError' in error || 'severity' in error) return true;
  if ('syscall' in error)
    return REACHING.has(error.syscall) || ('code' in error && BROKEN_CONNECTION.test(String(error.code)));
  return LOST_CONNECTION.test(error.message);
}

/**
 * System calls for reaching a server. Includes name resolution, because the name of a stopped container cannot be
 * resolved.
 */
const REACHING = new Set<unknown>(['connect', 'getaddrinfo']);
const BROKEN_CONNECTION = /^(ECONN|EPIPE|ETIMEDOUT)/;
/**
 * The last message is from TypeORM, which releases a connection as soon as it is lost, even if another query follows.
 */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered|was closed)|Query read timeout|Query runner already released)/;

/**
 * Converts the error of a query to `StorageFullError` or `StoreUnavailableError`, the errors that ports declare.
 * Returns any other error unchanged.
 */
export function databaseFault(cause: unknown): unknown {
  const fault = storageError(cause);
  if (fault instanceof StorageFullError || !isTransientFault(cause)) return fault;
  return new StoreUnavailableError('The database is not responding.', { cause });
}

/** Maximum time that a request waits for the response to a query, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Returns the result of a query. Converts errors as `databaseFault` does. Rejects after ten seconds if the database
 * hangs, but the query may still complete later.
 */
export async function awaitDatabase<Result>(query: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database did not respond in time.')), PATIENCE);
  });
  try {
    return await Promise.race([query, late]);
  } catch (error) {
    throw databaseFault(error);
  } finally {
    clearTimeout(timer);
  }
}
