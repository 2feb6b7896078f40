import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type ClientConfig, type PoolConfig } from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/storage/postgres/embedded/embedded-postgres.js';
import { askResource } from '../jest/ask-resource.js';
import type { SharedService } from '../service/shared-service.js';

/** Creates an empty database on the test run's PostgreSQL, or on the server at STELE_TEST_DATABASE (a URL). */
export async function freshDatabase(): Promise<{ config: PoolConfig; drop(): Promise<void> }> {
  const server = await testServer();
  const database = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${database}`);
  return {
    config: { ...server, database },
    // FORCE closes connections that a test left open. Before that, a short wait lets connections close on their own.
    drop: () => administer(server, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`, leaving(database)),
  };
}

/**
 * Copies a freshly created PostgreSQL data folder unless this one exists. Copying is 20 times as fast as creating one.
 * The copy has fsync turned off.
 */
export async function copyFreshCluster(postgres: string): Promise<void> {
  if (existsSync(postgres)) return;
  const { path } = await askResource<{ path: string }>('data');
  await mkdir(dirname(postgres), { recursive: true });
  // Uses the command `cp`, because Node's `cp` does not keep the owner of a file.
  await promisify(execFile)('cp', ['-a', path, postgres]);
}

/** Starts a PostgreSQL server for one test file, which can interrupt it without affecting other tests. */
export async function ownPostgres(): Promise<{
  config: PoolConfig;
  /** Restarts PostgreSQL cleanly. Open connections are closed. */
  restart(): Promise<void>;
  /** Crashes PostgreSQL. The keeper restarts it, and it recovers from its log. */
  crash(): Promise<void>;
  /** Stops PostgreSQL cleanly, and starts it again after `meanwhile`. */
  away(meanwhile: () => Promise<unknown>): Promise<void>;
  /**
   * While `meanwhile` runs, PostgreSQL neither responds nor closes connections, as if the network dropped every
   * packet.
   */
  hang(meanwhile: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), `stele-test-${process.pid}-`));
  const postgres = join(folder, 'postgres');
  const said = new EventEmitter();
  const keep = () => startEmbeddedPostgres({ folder: postgres, log: (message) => said.emit(message) });
  await copyFreshCluster(postgres);
  let kept: EmbeddedPostgres = await keep();
  const away = async (meanwhile: () => Promise<unknown>) => {
    await kept.stop();
    await meanwhile();
    kept = await keep();
  };
  return {
    config: kept.connection,
    away,
    restart: () => away(async () => undefined),
    async crash() {
      const again = once(said, 'PostgreSQL is running again.');
      process.kill(await serverOf(postgres), 'SIGQUIT');
      await again;
    },
    hang: async (meanwhile) => hanging(await serverOf(postgres), meanwhile),
    async stop() {
      await kept.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function serverOf(postgres: string): Promise<number> {
  return Number((await readFile(join(postgres, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Suspends a server and all its child processes while `meanwhile` runs (Linux). */
export async function hanging(server: number, meanwhile: () => Promise<unknown>): Promise<void> {
  // Suspends the parent first, so that it starts no more children.
  process.kill(server, 'SIGSTOP');
  const begun = (await readFile(`/proc/${server}/task/${server}/children`, 'utf8')).trim().split(' ').map(Number);
  const all = [...begun, server];
  const tell = (pid: number, signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has exited in the meantime.
    }
  };
  for (const pid of all) tell(pid, 'SIGSTOP');
  try {
    await meanwhile();
  } finally {
    for (const pid of all) tell(pid, 'SIGCONT');
  }
}

export const serviceOfWorker = () => askResource<SharedService>(`service ${process.env.JEST_WORKER_ID ?? '1'}`);

async function testServer(): Promise<ClientConfig> {
  const url = process.env.STELE_TEST_DATABASE;
  if (url) return fromUrl(url);
  return (await askResource<{ connection: ClientConfig }>('server')).connection;
}

/** A connection string in the options would override the database name. */
function fromUrl(url: string): ClientConfig {
  const { host, port, user, password, ssl } = new Client({ connectionString: url });
  return { host, port, user, password, ssl };
}

/** Waits up to half a second until no client is connected to the database. */
const leaving = (database: string) => `
  DO $$ BEGIN
    FOR n IN 1..50 LOOP
      PERFORM pg_stat_clear_snapshot();
      EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '${database}');
      PERFORM pg_sleep(0.01);
    END LOOP;
  END $$`;

async function administer(server: ClientConfig, statement: string, before?: string) {
  const client = new Client({ ...server, database: 'postgres' });
  await client.connect();
  try {
    if (before !== undefined) await client.query(before);
    await client.query(statement);
  } finally {
    await client.end();
  }
}
