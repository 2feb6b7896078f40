import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pg, product } from '../product.ts';

type Server = { readonly url: (database: string) => string; readonly stop: () => Promise<void> };
export type BenchPostgres = {
  readonly version: string;
  readonly database: (name: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * Starts one PostgreSQL for all contestants, with fsync on. STELE_BENCH_DATABASE (a URL) names another server to use
 * instead of the product’s embedded one, which has a temporary folder. `database` creates an empty database and returns
 * its URL.
 */
export async function startPostgres(): Promise<BenchPostgres> {
  const { url, stop } = process.env.STELE_BENCH_DATABASE
    ? elsewhere(process.env.STELE_BENCH_DATABASE)
    : await embedded();
  const admin = new pg.Client({ connectionString: url('postgres') });
  await admin.connect();
  const { rows } = await admin.query<{ setting: string; version: string }>(
    "select setting, version() from pg_settings where name = 'fsync'",
  );
  const [found] = rows;
  if (found?.setting !== 'on') throw new Error('fsync is off, so the results would not be meaningful.');
  return {
    version: found.version.split(' ').slice(0, 2).join(' '),
    async database(name) {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.query(`create database ${name}`);
      return url(name);
    },
    async stop() {
      await admin.end();
      await stop();
    },
  };
}

/** Uses the server at an address. Does not parse it with `new URL`, which rejects the address of a Unix socket. */
function elsewhere(address: string): Server {
  const [, server, query] = /^(\w+:\/\/[^/]*)\/[^?]*(.*)$/.exec(address) ?? [];
  if (!server) throw new Error('STELE_BENCH_DATABASE must have the form postgresql://user@host/database.');
  return { url: (database) => `${server}/${database}${query}`, stop: async () => {} };
}

async function embedded(): Promise<Server> {
  const { startEmbeddedPostgres } = await product('storage/postgres/embedded/embedded-postgres.js');
  const folder = await mkdtemp(join(tmpdir(), 'stele-bench-'));
  const server = await startEmbeddedPostgres({ folder, log: console.error });
  const { user, host } = server.connection;
  return {
    url: (database) => `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
