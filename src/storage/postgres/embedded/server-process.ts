import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dataArgument } from './data-folder.js';
import { EmbeddedPostgresError, explainFailure, systemCode } from './embedded-postgres-error.js';
import type { Binaries } from './package-binaries.js';
import type { PostgresOutput } from './postgres-output.js';
import { explainSpawnFailure, serverEnvironment } from './run-executable.js';
import { clusterName, runningServer, serves } from './running-server.js';
import type { ServerAccount } from './server-account.js';

/** Settings that are passed at every start, so that changes also apply to existing data folders. */
const settings = {
  listen_addresses: '',
  // The socket’s folder is relative to the data folder, because an absolute path could be too long.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  jit: 'off',
  // At this log level, PostgreSQL logs starts, stops and crashes, but not each constraint violation.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  cluster_name: clusterName,
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const startsWithin = 60_000;
const stopsWithin = 4_000;
const stopsUrgentlyWithin = 500;
const quitsWithin = 3_000;
const attempts = 3;

export type Server = {
  readonly data: string;
  readonly binaries: Binaries;
  readonly account: ServerAccount;
  readonly log: PostgresOutput;
  readonly maxConnections: number;
};

/**
 * Resolves when a server for this data folder accepts connections: an existing server (`adopted`) or a new one. If two
 * processes start a server at the same time, PostgreSQL’s own lock lets only one run. If `signal` is aborted, stops the
 * new server, then rejects.
 */
export async function startPostgres(server: Server, signal: AbortSignal): Promise<{ adopted: boolean }> {
  for (let attempt = 1; ; attempt++) {
    if (await becomesReady(server.data, signal)) return { adopted: true };
    const { child, failed, begin } = await spawnServer(server);
    const failure = await Promise.race([
      failed,
      becomesReady(server.data, signal, child).then((ready) => (ready ? null : failed)),
    ]).catch(async (error) => {
      if (signal.aborted) await stopChild(child, failed);
      throw error;
    });
    if (failure === null) return { adopted: false };
    if (await becomesReady(server.data, signal)) return { adopted: true };
    if (failure !== 'exited') throw await explainSpawnFailure(child.spawnfile, failure);
    if (attempt === attempts) {
      throw explainFailure('PostgreSQL did not start', server.data, await server.log.since(begin));
    }
    // PostgreSQL does not start until the backends of a killed server have exited.
    await delay(250);
  }
}

/**
 * Requests a fast shutdown, then an immediate shutdown after four seconds (half a second with `isUrgent`). After an
 * immediate shutdown, the next start recovers from the write-ahead log.
 */
export async function stopServer({ data }: Server, isUrgent = false): Promise<void> {
  const running = await runningServer(data);
  if (!running) return;
  const isStopped = async () => !(await serves(running.pid, data));
  if (await endsAfter(running.pid, 'SIGINT', isUrgent ? stopsUrgentlyWithin : stopsWithin, isStopped)) return;
  await endsAfter(running.pid, 'SIGQUIT', quitsWithin, isStopped);
}

/** Stops a server that was just started and may not have written its PID file yet. */
async function stopChild({ pid }: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  let isStopped = false;
  void ended.then(() => {
    isStopped = true;
  });
  if (await endsAfter(pid, 'SIGINT', stopsUrgentlyWithin, async () => isStopped)) return;
  await endsAfter(pid, 'SIGQUIT', quitsWithin, async () => isStopped);
}

/** Sends a signal and reports whether the process ends within `within` milliseconds. */
async function endsAfter(
  pid: number,
  signal: NodeJS.Signals,
  within: number,
  isEnded: () => Promise<boolean>,
): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return true;
    throw error;
  }
  const deadline = Date.now() + within;
  while (Date.now() < deadline) {
    if (await isEnded()) return true;
    await delay(10);
  }
  return false;
}

async function spawnServer({ data, binaries, account, log, maxConnections }: Server) {
  const { file, begin } = await log.open();
  const given = Object.entries({ ...settings, max_connections: maxConnections }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(join(binaries.home, 'bin', 'postgres'), ['-D', dataArgument(data, account), ...given], {
    cwd: data,
    env: serverEnvironment,
    // Keeps Ctrl-C in our terminal from reaching the server, because we shut the server down ourselves.
    detached: true,
    stdio: ['ignore', file.fd, file.fd],
    ...account.drop,
  });
  child.unref();
  const failed = ended(child);
  await file.close();
  return { child, failed, begin };
}

function ended(child: ChildProcess): Promise<Error | 'exited'> {
  return new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', () => resolve('exited'));
  });
}

/** Waits until a starting or stopping server accepts connections. Returns false if no server is running or starting. */
async function becomesReady(data: string, signal: AbortSignal, child?: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + startsWithin;
  while (Date.now() < deadline) {
    signal.throwIfAborted();
    const running = await runningServer(data);
    if (running?.ready && (!child || child.pid === running.pid)) return true;
    if (!running && (!child || child.pid === undefined || child.exitCode !== null || child.signalCode !== null)) {
      return false;
    }
    await delay(5);
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL in ${data} was not ready after ${startsWithin / 1000} s, perhaps because of a long recovery. Check postgres.log beside it and start again.`,
  );
}
