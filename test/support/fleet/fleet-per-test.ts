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

/** A process that answers, or several that answer as one. */
export type Running = {
  readonly port: number;
  /** Of several, one that answers the interface; null where they are not this process’s own. */
  readonly child: ChildProcess | null;
  readonly pids: readonly number[];
  /** Where its files are. */
  readonly folder: string;
  readonly printed: () => string;
  /** Where its tables are; null for the database embedded in its folder. */
  readonly databaseUrl: string | null;
  /** Where in EventStoreDB its events live; empty when they are in its database. */
  readonly eventStoreUrl: string;
  readonly stop: (signal: NodeJS.Signals) => Promise<number | string | null>;
};

type Wanted = { readonly folder: string; readonly env: Readonly<Record<string, string>> };

/** With STELE_TEST_FLEET=1 tests that start Stele get a fleet of processes behind Caddy in the place of one process. */
export const isFleetAsked = process.env.STELE_TEST_FLEET === '1';

/** The databases of folders whose processes embed none: a fleet that is started again on one finds it again. */
const databases = new Map<string, ReturnType<typeof freshDatabase>>();

/** Folders of tests that are with the fleet of the whole run. */
const joined = new Set<string>();

afterAll(async () => {
  for (const database of databases.values()) await (await database).drop();
  databases.clear();
});

/** Seven processes take a while to start: a test that needs no settings of its own joins those of the whole run. */
export const startFleet = (wanted: Wanted): Promise<Running> =>
  isShareable(wanted.env) ? joinFleet(wanted.folder) : ownFleet(wanted);

const isShareable = (env: Readonly<Record<string, string>>) =>
  process.env.STELE_TEST_STORE !== 'esdb' &&
  !wantsItsOwn(relative('.', expect.getState().testPath ?? '')) &&
  Object.entries(env).every(([name, value]) => SHARED_ENVIRONMENT[name] === value);

/** In a folder where a test has stopped it before, all its processes end and start again. */
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
      // Others come after this test: they are ended in order when the run is over, and that they end well is told then.
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
