import { join } from 'node:path';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { explainSystemError } from '../../kernel/faults/explain-system-error.js';
import { isPostgresRunning, startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { EnduringClient } from './enduring-client.js';

const FOLDER_LOCK = 7_303_001;

class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Ensures that only one process uses an embedded database, and returns a function that releases the lock. The lock
 * belongs to a connection, so it is also released if the process is killed. Throws `FolderInUseError`, which names the
 * process that holds the lock.
 */
async function lockFolder(connection: pg.ClientConfig, folder: string, announce: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ ...connection, application_name: `stele ${process.pid} ${announce}`.slice(0, 63) });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [FOLDER_LOCK]);
  if (rows[0]?.taken) return () => client.end();

  const holder = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and granted`,
    [FOLDER_LOCK],
  );
  await client.end();
  const [, pid = 'unknown', address = ''] = holder.rows[0]?.name.split(' ') ?? [];
  throw new FolderInUseError(
    `Stele is already running on ${folder}: process ${pid}${address && `, at ${address}`}.\nUse that one, stop it, or choose another folder: STELE_DATA=./other npm start`,
  );
}

export type Database = {
  readonly pool: pg.Pool;
  /** Connection options for callers that open their own connections. */
  readonly connection: pg.ClientConfig;
  readonly description: string;
  close(): Promise<void>;
  /**
   * Stops the embedded server within about a second, even if connections are in use or `close` is still running. Does
   * nothing if the operator provides the server.
   */
  abandon(): Promise<void>;
};

/** Reports whether the embedded server of a data folder is running, no matter which process started it. */
export const isEmbeddedRunning = (dataFolder: string): Promise<boolean> =>
  isPostgresRunning(join(dataFolder, 'postgres'));

export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

type DatabaseOptions = {
  /** URL of the operator’s PostgreSQL, or null to use the embedded one. */
  readonly url: string | null;
  readonly dataFolder: string;
  /** Address of this process, shown by other processes that try to use the same folder. */
  readonly announce: string;
  /** Opens the database even if a running service uses the folder. */
  readonly beside?: true;
  readonly log: (message: string) => void;
  /** Aborting the signal stops the start of the embedded server and throws the signal’s reason. */
  readonly signal?: AbortSignal;
};

/** Throws `DatabaseUnavailableError`, `FolderInUseError` or `EmbeddedPostgresError`, which explain what to do. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.url === null ? embedded(options) : operators(options.url, options.log);
}

async function embedded({ dataFolder, announce, beside, log, signal }: DatabaseOptions): Promise<Database> {
  const server = await startEmbeddedPostgres({ folder: join(dataFolder, 'postgres'), log, signal });
  try {
    const { connection } = server;
    const release = beside ? async () => undefined : await lockFolder(connection, dataFolder, announce);
    const pool = poolFor(connection, log);
    return {
      pool,
      connection,
      description: `embedded PostgreSQL in ${join(dataFolder, 'postgres')}${server.adopted ? ' (already running)' : ''}`,
      close: async () => {
        await pool.end();
        await release();
        await server.stop();
      },
      abandon: () => server.stopNow(),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function operators(url: string, log: (message: string) => void): Promise<Database> {
  const connection = parseIntoClientConfig(url);
  const pool = poolFor(connection, log);
  const location = `${connection.host ?? 'localhost'}:${connection.port ?? 5432}/${connection.database ?? ''}`;
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw new DatabaseUnavailableError(
      `Could not connect to PostgreSQL at DATABASE_URL (${location}): ${explainSystemError(error)}\nStart it or correct DATABASE_URL. Without DATABASE_URL, Stele runs its own PostgreSQL.`,
    );
  }
  return {
    pool,
    connection,
    description: `PostgreSQL at ${location}`,
    close: () => pool.end(),
    abandon: async () => undefined,
  };
}

/** Returns options for TypeORM’s own pool. `extra` contains options that only pg has. */
export const forTypeOrm = ({ connection }: Database, options: pg.PoolConfig) => ({
  type: 'postgres' as const,
  // Prevents TypeORM from loading another copy of pg.
  driver: pg,
  extra: { ...connection, ...options, Client: EnduringClient },
});

function poolFor(connection: pg.ClientConfig, log: (message: string) => void) {
  const pool = new pg.Pool({
    ...connection,
    max: 16,
    connectionTimeoutMillis: 5_000,
    application_name: 'stele',
    Client: EnduringClient,
  });
  // Without a listener, a lost idle connection would end the process.
  pool.on('error', (error) => log(`Lost a database connection: ${error.message}`));
  return pool;
}
