import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUrl } from '../database/database-url.js';
import { freshDatabase } from '../database/test-database.js';
import { openFleet } from './local-fleet.js';

export type SharedFleet = {
  readonly port: number;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly pids: readonly number[];
  readonly printedTo: string;
};

/** Settings of the shared fleet: the operator token that several tests use. */
export const SHARED_ENVIRONMENT: Readonly<Record<string, string>> = {
  STELE_ADMIN_TOKEN: 'operator-token-of-tests',
};

/**
 * Starts a fleet for the test run. Each line `start`, `kill` or `again` sent to the socket STELE_TEST_SHARED_FLEET
 * gets a JSON response. Resolves to a function that stops the fleet, and rejects if the fleet does not exit cleanly.
 */
export async function offerFleet(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), `stele-fleet-${process.pid}-`));
  const data = join(folder, 'data');
  const printedTo = join(folder, 'printed');
  writeFileSync(printedTo, '');
  const database = await freshDatabase();
  const url = databaseUrl(database.config);
  let isKilled = false;
  const env = { ...SHARED_ENVIRONMENT, EVENTSTORE_URL: '', STELE_DATA: data, DATABASE_URL: url };
  const fleet = await openFleet(env, (chunk) => appendFileSync(printedTo, chunk));

  // Stops the fleet when the process exits, because an interrupted test run skips its teardown.
  const abandon = () => {
    void fleet.end('SIGKILL');
    void fleet.close();
  };
  process.once('exit', abandon);

  const told = async (what: string): Promise<SharedFleet> => {
    if (what !== 'start' && !isKilled) await fleet.end(what === 'kill' ? 'SIGKILL' : 'SIGTERM');
    if (what === 'kill') isKilled = true;
    else if (isKilled || what === 'again') {
      await fleet.start();
      isKilled = false;
    }
    const pids = fleet.members.map((member) => member.pid());
    return { port: fleet.port, folder: data, databaseUrl: url, pids, printedTo };
  };

  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (line) => {
      told(line.toString().trim()).then(
        (fleet) => socket.end(JSON.stringify({ fleet })),
        (fault: Error) => socket.end(JSON.stringify({ error: fault.message })),
      );
    });
  });
  const path = join(folder, 'ask.sock');
  await new Promise<void>((listening) => server.listen(path, listening));
  server.unref();
  process.env.STELE_TEST_SHARED_FLEET = path;

  return async () => {
    server.close();
    process.off('exit', abandon);
    const code = isKilled ? 0 : await fleet.end('SIGTERM');
    await fleet.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
    if (code !== 0) throw new Error(`A process of the fleet ended with ${code}.`);
  };
}
