import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import request, { type Test } from 'supertest';
import { copyFreshCluster, serviceOfWorker } from '../database/test-database.js';
import { type InLog, logAt, testStore } from '../eventstore/test-store.js';
import { isFleetAsked, type Running, startFleet } from '../fleet/fleet-per-test.js';
import { SHARED_ENVIRONMENT } from '../fleet/shared-fleet.js';
import { checkedBy, sharedChecker } from './checked-requests.js';
import { nodeOptions } from './node-options.js';
import { reusablePort } from './reusable-port.js';

export type Stele = {
  readonly child: ChildProcess;
  /** The service's base URL with the host 127.0.0.1, because Node does not resolve *.localhost. */
  readonly base: string;
  readonly port: number;
  readonly folder: string;
  readonly printed: () => string;
  /** Sends a request to the API, and validates the response against /openapi.json. */
  readonly api: Requests;
  /** Sends a request without validation, for responses that are not described. */
  readonly raw: Requests;
  readonly visit: (slug: string, path?: string) => request.Test;
  readonly database: ClientConfig;
  readonly query: (sql: string) => Promise<Record<string, unknown>[]>;
  /** URL of the EventStoreDB that stores the service's events. Empty if the database stores them. */
  readonly eventStoreUrl: string;
  /** Reads the whole log directly, oldest first, wherever the events are stored. */
  readonly log: () => Promise<InLog[]>;
  /** Returns the IDs of the service's running git processes, including indirect children (Linux). */
  readonly gitsBelow: () => Promise<number[]>;
  readonly copies: () => Promise<string[]>;
  /** Sends a signal, and returns the exit code or the signal that ended the service. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string | null>;
};

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

export type Requests = Readonly<Record<(typeof methods)[number], (path: string) => Test>>;

export const temporaryFolder = async (name: string) => {
  const folder = await mkdtemp(join(tmpdir(), `stele-${name}-`));
  // Gives other users access to the folder, because builds run as another user. Without access, their sandboxes would
  // be created elsewhere and left behind.
  await chmod(folder, 0o711);
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }) };
};

type Wanted = {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Command that starts the service. By default, it runs the built program directly, which is faster than `npm start`.
   */
  readonly command?: readonly [string, ...string[]];
  readonly cwd?: string;
};

/** The command that `npm start` runs. */
export const program: readonly [string, ...string[]] = [process.execPath, ...nodeOptions, 'dist/bundled/start.js'];

/** Starts the built service, or a fleet of processes if STELE_TEST_FLEET=1. Rejects with its output if it exits. */
export async function startStele({ env = {}, ...wanted }: Wanted): Promise<Stele> {
  return steleOf(isFleetAsked ? await startFleet({ ...wanted, env }) : await startProcess({ ...wanted, env }));
}

/**
 * Returns the service that all test files of a Jest worker share, which saves the CPU time of starting one for each
 * file. A test file can use it unless it needs its own settings, restarts the service or inspects its process. It must
 * use unique names, and filter tables and logs by them. `stop` does not stop the service. If tests run with a fleet,
 * the result is a new fleet that uses `folder`.
 */
export async function sharedStele({ folder }: Pick<Wanted, 'folder'>): Promise<Stele> {
  return isFleetAsked ? startStele({ folder, env: SHARED_ENVIRONMENT }) : steleOf(await joinService());
}

async function joinService(): Promise<Running> {
  const { printedTo, pid, ...service } = await serviceOfWorker();
  const before = readFileSync(printedTo).length;
  return {
    ...service,
    child: null,
    pids: [pid],
    printed: () => readFileSync(printedTo).subarray(before).toString(),
    databaseUrl: null,
    // Does not stop the service, because later tests use it. At the end of the run, it is stopped, and the run fails if
    // it does not exit cleanly.
    stop: async () => 0,
  };
}

async function steleOf(running: Running): Promise<Stele> {
  const { folder, port, printed, pids, databaseUrl, eventStoreUrl } = running;
  const base = `http://127.0.0.1:${port}`;
  const raw = request(base);
  const checked = checkedBy(await sharedChecker(base));
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  const each = methods.map((method) => [method, (path: string) => checked(raw[method](path), own)] as const);
  const database = databaseUrl
    ? { connectionString: databaseUrl }
    : { host: join(folder, 'postgres/data'), user: 'postgres', database: 'stele' };
  const query = async (sql: string) => {
    const client = new Client(database);
    // Ignores connection errors. If the PostgreSQL server shuts down, an error may follow after the query has failed.
    client.on('error', () => undefined);
    await client.connect();
    return client
      .query(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  };
  return {
    get child() {
      if (running.child) return running.child;
      throw new Error('A service that is shared has no process that is this test’s own.');
    },
    base,
    port,
    folder,
    database,
    printed,
    api: Object.fromEntries(each) as Requests,
    raw,
    visit: (slug, path = '/') => request(base).get(path).set('host', `${slug}.localhost:${port}`),
    query,
    eventStoreUrl,
    log: async () =>
      eventStoreUrl
        ? logAt(eventStoreUrl)
        : query('select stream, revision, type, at, actor, data from events order by position'),
    gitsBelow: async () => (await Promise.all(pids.map(gitsBelow))).flat(),
    copies: () => readdir(join(folder, 'copies')),
    stop: (signal = 'SIGTERM') => running.stop(signal),
  };
}

async function startProcess({ folder, env = {}, command = program, cwd }: Wanted): Promise<Running> {
  const [file, ...args] = command;
  if (command === program && !env.DATABASE_URL) await copyFreshCluster(join(folder, 'postgres'));
  const store = await testStore({ STELE_DATA: folder, ...env });
  const eventStoreUrl = store.EVENTSTORE_URL ?? env.EVENTSTORE_URL ?? '';
  const child = spawn(file, args, {
    // Disables the builder, whose self-test copies Node. Tests that build override this in `env`.
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      EVENTSTORE_URL: '',
      STELE_BUILDER: 'none',
      STELE_STATUS_PROBES: 'off',
      // Reserves no disk space, because a test machine may have little.
      STELE_DISK_RESERVE: '0',
      // With port 0, the service would choose a free port at its start, and another service could take it first.
      PORT: String(await reusablePort()),
      STELE_DATA: folder,
      ...env,
      ...store,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  });
  let text = '';
  const exited = once(child, 'exit');
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk;
      const found = /Service\s+http:\/\/[^\s:]+:(\d+)[\s\S]*Ctrl-C/.exec(text)?.[1];
      if (found) resolve(Number(found));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`Stele ended (${code ?? signal}):\n${text}`)));
  });
  return {
    port,
    child,
    pids: [child.pid ?? 0],
    folder,
    printed: () => text,
    databaseUrl: env.DATABASE_URL || null,
    eventStoreUrl,
    stop: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code, by] = await exited;
      return code ?? by;
    },
  };
}

async function gitsBelow(pid: number): Promise<number[]> {
  const parents = new Map<number, { readonly parent: number; readonly name: string }>();
  for (const entry of await readdir('/proc')) {
    const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '') : '';
    const [, name = '', parent = '0'] = /\((.*)\) [^Z] (\d+)/s.exec(stat) ?? [];
    parents.set(Number(entry), { parent: Number(parent), name });
  }
  const isBelow = (each: number): boolean => {
    const parent = parents.get(each)?.parent ?? 0;
    return parent === pid || (parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(
    (each) => /^(timeout|prlimit|git)/.test(parents.get(each)?.name ?? '') && isBelow(each),
  );
}
