import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect } from '@jest/globals';
import { databaseUrl } from '../database/database-url.js';
import { freshDatabase } from '../database/test-database.js';
import { testStore } from '../eventstore/test-store.js';
import { wantsItsOwn } from './fleet-exclusions.js';
import { openFleet } from './local-fleet.js';
import { SHARED_ENVIRONMENT, type SharedFleet } from './shared-fleet.js';

/** A running service: one process, or several that act as one service. */
export type Running = {
  readonly port: number;
  /** The service's process. In a fleet, this is one of the `api` processes, or null if other tests share the fleet. */
  readonly child: ChildProcess | null;
  readonly pids: readonly number[];
  readonly folder: string;
  readonly printed: () => string;
  /** URL of the database. Null if the database is embedded in the folder. */
  readonly databaseUrl: string | null;
  /** URL of the EventStoreDB that stores the service's events. Empty if the database stores them. */
  readonly eventStoreUrl: string;
  readonly stop: (signal: NodeJS.Signals) => Promise<number | string | null>;
};

type Wanted = { readonly folder: string; readonly env: Readonly<Record<string, string>> };

/** True if tests start a fleet of processes behind Caddy instead of one process (STELE_TEST_FLEET=1). */
export const isFleetAsked = process.env.STELE_TEST_FLEET === '1';

/** Databases by the folder of their fleet. A fleet that is restarted in a folder uses the same database. */
const databases = new Map<string, ReturnType<typeof freshDatabase>>();

const joined = new Set<string>();

afterAll(async () => {
  for (const database of databases.values()) await (await database).drop();
  databases.clear();
});

/**
 * Starts a fleet. Tests without settings of their own share one fleet, because starting its seven processes is slow.
 */
export const startFleet = (wanted: Wanted): Promise<Running> =>
  isShareable(wanted.env) ? joinFleet(wanted.folder) : ownFleet(wanted);

const isShareable = (env: Readonly<Record<string, string>>) =>
  process.env.STELE_TEST_STORE !== 'esdb' &&
  !wantsItsOwn(relative('.', expect.getState().testPath ?? '')) &&
  Object.entries(env).every(([name, value]) => SHARED_ENVIRONMENT[name] === value);

/**
 * Joins the shared fleet. A test that has used the fleet with this folder before expects a restart, so all processes
 * are restarted.
 */
async function joinFleet(folder: string): Promise<Running> {
  const { printedTo, ...fleet } = await ask(joined.has(folder) ? 'again' : 'start');
  joined.add(folder);
  const before = readFileSync(printedTo).length;
  return {
    ...fleet,
    child: null,
    printed: () => readFileSync(printedTo).subarray(before).toString(),
    eventStoreUrl: '',
    stop: async (signal) => {
      // Does not stop the fleet, because later tests use it. It is stopped at the end of the run, which checks that
      // it exits cleanly.
      if (signal === 'SIGTERM') return 0;
      await ask('kill');
      return signal;
    },
  };
}

async function ask(what: string): Promise<SharedFleet> {
  const socket = connect(process.env.STELE_TEST_SHARED_FLEET ?? '');
  socket.write(`${what}\n`);
  const answer: { fleet?: SharedFleet; error?: string } = JSON.parse(await text(socket));
  if (!answer.fleet) throw new Error(answer.error);
  return answer.fleet;
}

async function ownFleet({ folder, env }: Wanted): Promise<Running> {
  const DATABASE_URL = env.DATABASE_URL ?? (await databaseOf(folder));
  const given = { EVENTSTORE_URL: '', STELE_DATA: folder, ...env, DATABASE_URL };
  const store = await testStore(given);
  const { port, members, printed, end, close } = await openFleet({ ...given, ...store });
  return {
    port,
    child: members[0]?.child() ?? null,
    pids: members.map((member) => member.pid()),
    folder,
    printed,
    databaseUrl: DATABASE_URL,
    eventStoreUrl: store.EVENTSTORE_URL ?? env.EVENTSTORE_URL ?? '',
    stop: async (signal) => {
      const code = await end(signal);
      await close();
      return code;
    },
  };
}

async function databaseOf(folder: string): Promise<string> {
  const database = databases.get(folder) ?? freshDatabase();
  databases.set(folder, database);
  return databaseUrl((await database).config);
}
