import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import './register-typescript.js';

const prefix = 'stele-test-';

let postgres;
let dataFolder;
let folder;
let server;
let services;
let browser;

/**
 * Resources that the files of a test run share. Each is started at its first request: a worker connects to the socket
 * at STELE_TEST_RESOURCES, sends a line and receives JSON:
 *
 * - `server`: the `connection` of one PostgreSQL (`freshDatabase`).
 * - `data`: the `path` of the data of an unused PostgreSQL, which is copied (`copyFreshCluster`).
 * - `service 1`: the service that the files of worker 1 share (`sharedStele`).
 * - `browser`: the `endpoint` of one Chromium (`openBrowser`).
 */
export async function offerResources() {
  folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const path = join(folder, 'ask.sock');
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (line) =>
      answer(String(line).trim()).then(
        (answered) => socket.end(JSON.stringify(answered)),
        (error) => socket.end(JSON.stringify({ error: error.message })),
      ),
    );
  });
  await new Promise((resolve) => server.listen(path, resolve));
  server.unref();
  process.env.STELE_TEST_RESOURCES = path;
  // Removes the resources on SIGINT and SIGTERM as well, because Jest then ends without its global teardown, and
  // PostgreSQL ignores Ctrl-C.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => stopResources().finally(() => process.exit(130)));
}

export async function stopResources() {
  server?.close();
  try {
    await (await browser)?.close();
    await (await services)?.stop();
  } finally {
    await stopServer();
  }
}

async function stopServer() {
  const running = await postgres?.catch(() => undefined);
  await running?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}

async function answer(wanted) {
  if (wanted === 'server') {
    postgres ??= start();
    return { connection: (await postgres).connection };
  }
  const [, worker] = /^service (\d+)$/.exec(wanted) ?? [];
  if (worker) {
    services ??= makeServices();
    return (await services).ofWorker(worker);
  }
  if (wanted === 'browser') {
    browser ??= import('../browser/chromium.ts').then(({ launchSharedBrowser }) => launchSharedBrowser());
    return { endpoint: (await browser).wsEndpoint() };
  }
  dataFolder ??= makeData();
  return { path: await dataFolder };
}

async function makeServices() {
  const { SharedServices } = await import('../service/shared-services.ts');
  return new SharedServices(folder, async (path) => {
    dataFolder ??= makeData();
    // Uses the command `cp`, because Node's `cp` does not keep the owner of a file.
    await promisify(execFile)('cp', ['-a', await dataFolder, path]);
  });
}

/** Creates a data folder like that of a service that has started once. This takes 0.7 s. */
async function makeData() {
  const { startEmbeddedPostgres } = await import('../../../src/storage/postgres/embedded/embedded-postgres.ts');
  const path = join(folder, 'fresh');
  const kept = await startEmbeddedPostgres({ folder: path, log: () => {} });
  await forgetDurability(kept.connection);
  await kept.stop();
  return path;
}

async function start() {
  await removeLeftovers();
  const { startEmbeddedPostgres } = await import('../../../src/storage/postgres/embedded/embedded-postgres.ts');
  const kept = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    // Two test files that start and kill several processes needed 92 connections. This limit is also enough for two
    // fleets at a time.
    maxConnections: 400,
    log: (message) => console.error(message),
  });
  await forgetDurability(kept.connection);
  return { connection: await withPassword(kept.connection), stop: () => kept.stop() };
}

/** Requires a password, as an operator's own PostgreSQL does, so that a client without it is refused. */
async function withPassword(connection) {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('SET scram_iterations = 1'); // Makes logins fast, because a run connects often.
  await client.query("CREATE ROLE tester SUPERUSER LOGIN PASSWORD 'a pass: word/?'");
  const file = join(folder, 'postgres', 'data', 'pg_hba.conf');
  await writeFile(file, `local all tester scram-sha-256\n${await readFile(file, 'utf8')}`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  return { ...connection, user: 'tester', password: 'a pass: word/?' };
}

/**
 * Turns durability off, because nothing reads this data after the run. Creating a database then takes 50 ms instead of
 * 130.
 */
async function forgetDurability(connection) {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('ALTER SYSTEM SET fsync = off');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/** Removes servers and folders of killed test runs, except those of other users. */
async function removeLeftovers() {
  const { isAlive, runningServer } = await import('../../../src/storage/postgres/embedded/running-server.ts');
  for (const name of await readdir(tmpdir())) {
    const [, pid] = name.match(`^${prefix}(\\d+)-`) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    const left = join(tmpdir(), name);
    for (const each of ['postgres', 'fresh']) {
      const server = await runningServer(join(left, each, 'data'));
      if (server) process.kill(server.pid, 'SIGQUIT');
    }
    await rm(left, { recursive: true, force: true }).catch(() => {});
  }
}
