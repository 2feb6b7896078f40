import { StoreUnavailable } from '../../kernel/event-store.js';
import { StorageFull, storageError } from '../../kernel/faults/storage-full.js';

/**
 * SQLSTATEs that say nothing about the statement: connection trouble (08), no memory or too many connections
 * (53200, 53300), shut down or starting up (57P0x), a replica after a failover (25006), a transaction that was silent for
 * too long (25P03), lost to another transaction (40001, 40P01).
 */
const passing = /^(08...|53[23]00|57P0.|25006|25P03|40001|40P01)$/;

/**
 * Whether another try of the same statement may succeed. What the server said is known by its code; all else is the
 * connection's.
 */
export function isTransientFault(error: unknown): boolean {
  return isServers(error) ? passing.test(error.code) : !(error instanceof TypeError);
}

/** PostgreSQL's own errors have a severity (its protocol, “Error and Notice Message Fields”). */
function isServers(error: unknown): error is { readonly code: string } {
  return typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;
}

/**
 * Whether an error is from the database. TypeORM’s failed queries have a `driverError`; a connection that breaks before
 * there is a query, or between two of one reading, fails with an error of the system, of pg or of TypeORM.
 */
export function isDatabaseError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('driverError' in error || 'severity' in error) return true;
  if ('syscall' in error)
    return REACHING.has(error.syscall) || ('code' in error && BROKEN_CONNECTION.test(String(error.code)));
  return LOST_CONNECTION.test(error.message);
}

/** To a server, and before that from its name to its address: the name of a container is gone while that has ended. */
const REACHING = new Set<unknown>(['connect', 'getaddrinfo']);
const BROKEN_CONNECTION = /^(ECONN|EPIPE|ETIMEDOUT)/;
/** The last is TypeORM’s: it gives a connection back as soon as that is lost, also where a second query was to follow. */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered|was closed)|Query read timeout|Query runner already released)/;

/** What a query ended in, as ports name it: `StorageFull`, `StoreUnavailable`, else itself. */
export function databaseFault(cause: unknown): unknown {
  const fault = storageError(cause);
  if (fault instanceof StorageFull || !isTransientFault(cause)) return fault;
  return new StoreUnavailable('The database is not responding.', { cause });
}

/** How long a request waits for an answer, in milliseconds. */
const PATIENCE = 10_000;

/**
 * The answer to a query; throws `StorageFull` or `StoreUnavailable` where the fault is one of these. A database that
 * hangs is not waited for longer than ten seconds; what was asked may be done for all that.
 */
export async function answerTo<Result>(query: Promise<Result>): Promise<Result> {
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
