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

/** An empty database of its own on the PostgreSQL of this test run (or that of STELE_TEST_DATABASE, a URL). */
export async function freshDatabase(): Promise<{ config: PoolConfig; drop(): Promise<void> }> {
  const server = await testServer();
  const database = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${database}`);
  return {
    config: { ...server, database },
    // Connections that a test has left open do not keep it; those that it has just ended are given time to be gone.
    drop: () => administer(server, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`, leaving(database)),
  };
}

/**
 * Gives a folder the PostgreSQL that a service would make there on its first start, unless it has one: copied, as that
 * takes a twentieth of the time. It does not wait for the disk, as no test turns the machine off.
 */
export async function copyFreshCluster(postgres: string): Promise<void> {
  if (existsSync(postgres)) return;
  const { path } = await askResource<{ path: string }>('data');
  await mkdir(dirname(postgres), { recursive: true });
  // Node's own copying does not keep the owner.
  await promisify(execFile)('cp', ['-a', path, postgres]);
}

/** A PostgreSQL that belongs to one test file, for tests that make it go away. */
export async function ownPostgres(): Promise<{
  config: PoolConfig;
  /** As an operator does: open connections are ended, the server stops in order and starts again. */
  restart(): Promise<void>;
  /** As a crash does: the server ends at once, its keeper starts it again, and it recovers from its log. */
  crash(): Promise<void>;
  /** Stops in order, and starts again after `meanwhile`. */
  away(meanwhile: () => Promise<unknown>): Promise<void>;
  /** Answers nothing and closes nothing while `meanwhile` goes on, as behind a network that swallows everything. */
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

/** The process of the server whose data are in this folder. */
export async function serverOf(postgres: string): Promise<number> {
  return Number((await readFile(join(postgres, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** A server that hangs, with all that it has begun (Linux). */
export async function hanging(server: number, meanwhile: () => Promise<unknown>): Promise<void> {
  // The first, so that no more come.
  process.kill(server, 'SIGSTOP');
  const begun = (await readFile(`/proc/${server}/task/${server}/children`, 'utf8')).trim().split(' ').map(Number);
  const all = [...begun, server];
  const tell = (pid: number, signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  };
  for (const pid of all) tell(pid, 'SIGSTOP');
  try {
    await meanwhile();
  } finally {
    for (const pid of all) tell(pid, 'SIGCONT');
  }
}

/** The service that the files of this Jest worker share. */
export const serviceOfWorker = () => askResource<SharedService>(`service ${process.env.JEST_WORKER_ID ?? '1'}`);

async function testServer(): Promise<ClientConfig> {
  const url = process.env.STELE_TEST_DATABASE;
  if (url) return fromUrl(url);
  return (await askResource<{ connection: ClientConfig }>('server')).connection;
}

/** In parts, as a connection string would win over the database named beside it. */
function fromUrl(url: string): ClientConfig {
  const { host, port, user, password, ssl } = new Client({ connectionString: url });
  return { host, port, user, password, ssl };
}

/** Answers when no client is connected to the database any more, and after half a second at the latest. */
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
