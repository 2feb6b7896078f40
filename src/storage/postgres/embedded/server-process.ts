import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dataArgument } from './data-folder.js';
import { EmbeddedPostgresError, explainFailure } from './embedded-postgres-error.js';
import type { Binaries } from './package-binaries.js';
import type { PostgresOutput } from './postgres-output.js';
import { explainSpawnFailure, serverEnvironment } from './run-program.js';
import { clusterName, runningServer, serves } from './running-server.js';
import type { ServerAccount } from './server-account.js';

/** Given at every start, so that a change here reaches folders that were made before it. */
const settings = {
  listen_addresses: '',
  // Relative to the data folder: never too long for the server, and closed to other users.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  shared_buffers: '128MB',
  jit: 'off',
  // Starts, stops and crashes, but not each statement that a constraint refused.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  cluster_name: clusterName,
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const startsWithin = 60_000;
const stopsWithin = 4_000;
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
 * Returns when a server on these data accepts connections: the one that ran already (`adopted`), or a new one.
 * Two that start at once end with one server, which PostgreSQL's own lock sees to.
 */
export async function startServer(server: Server): Promise<{ adopted: boolean }> {
  for (let attempt = 1; ; attempt++) {
    if (await becomesReady(server.data)) return { adopted: true };
    const { child, failed, begin } = await spawnServer(server);
    const failure = await Promise.race([
      failed,
      becomesReady(server.data, child).then((ready) => (ready ? null : failed)),
    ]);
    if (failure === null) return { adopted: false };
    if (await becomesReady(server.data)) return { adopted: true };
    if (failure !== 'exited') throw await explainSpawnFailure(child.spawnfile, failure);
    if (attempt === attempts) {
      throw explainFailure('PostgreSQL did not start', server.data, await server.log.since(begin));
    }
    // The backends of a server that was killed need a moment to notice, and PostgreSQL does not start beside them.
    await delay(250);
  }
}

/** Fast shutdown; immediate after four seconds, which the next start repairs from the write-ahead log. */
export async function stopServer({ data }: Server): Promise<void> {
  const running = await runningServer(data);
  if (!running) return;
  for (const [signal, within] of [['SIGINT', stopsWithin] as const, ['SIGQUIT', quitsWithin] as const]) {
    process.kill(running.pid, signal);
    const deadline = Date.now() + within;
    while (Date.now() < deadline) {
      if (!(await serves(running.pid, data))) return;
      await delay(10);
    }
  }
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
    // A session of its own: Ctrl-C in our terminal is for us, and we stop the server in order.
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

/** Waits for a server that is starting or stopping. False as soon as none runs, unless it is `child`, just begun. */
async function becomesReady(data: string, child?: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + startsWithin;
  while (Date.now() < deadline) {
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
