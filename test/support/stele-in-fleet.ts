import type { ChildProcess } from 'node:child_process';
import { afterAll } from '@jest/globals';
import { freePort } from '../../src/outside/free-port.js';
import { freshDatabase } from './database.js';
import { databaseUrl } from './database-url.js';
import { caddyFor, memberOf } from './fleet.js';
import { OwnRedis } from './redis.js';
import { testStore } from './test-store.js';

/** A process that answers, or several that answer as one. */
export type Running = {
  readonly port: number;
  /** The process; of several, one that answers the interface. */
  readonly child: ChildProcess;
  readonly pids: readonly number[];
  readonly printed: () => string;
  /** Where its tables are; null for the database embedded in its folder. */
  readonly databaseUrl: string | null;
  /** Where its events are, when that is not the database. */
  readonly eventStoreUrl: string | null;
  readonly stop: (signal: NodeJS.Signals) => Promise<number | string | null>;
};

/** With STELE_TEST_FLEET=1 tests that start Stele get a fleet of processes behind Caddy in the place of one process. */
export const isFleetAsked = process.env.STELE_TEST_FLEET === '1';

const ROLES = ['api', 'api', 'serve', 'worker', 'worker', 'projector', 'projector'];

/** The databases of folders whose processes embed none: a fleet that is started again on one finds it again. */
const databases = new Map<string, Promise<Awaited<ReturnType<typeof freshDatabase>>>>();

afterAll(async () => {
  for (const database of databases.values()) await (await database).drop();
  databases.clear();
});

/**
 * Two api, one serve, two worker and two projector processes with one folder, one database and one Redis, and the
 * repository's Caddyfile in front. Proxies that `env` trusts stand before Caddy, which believes them too.
 */
export async function startFleet({ folder, env }: { folder: string; env: Record<string, string> }): Promise<Running> {
  const [url, port, redis] = await Promise.all([
    env.DATABASE_URL ?? databaseOf(folder),
    freePort('127.0.0.1'),
    OwnRedis.at(),
  ]);
  await redis.start();
  const before = env.STELE_TRUSTED_PROXIES ?? '';
  const given: Record<string, string> = {
    EVENTSTORE_URL: '',
    STELE_DATA: folder,
    REDIS_URL: redis.url,
    STELE_BASE_URL: `http://localhost:${port}`,
    STELE_SITE_DOMAIN: `localhost:${port}`,
    ...env,
    DATABASE_URL: url,
    STELE_TRUSTED_PROXIES: `127.0.0.1 ${before}`,
  };
  const store = await testStore(given);
  const members = await Promise.all(ROLES.map((role) => memberOf(role, { ...given, ...store })));
  const stopAll = async (signal: NodeJS.Signals) => {
    const codes = await Promise.all(members.map((member) => member.end(signal)));
    await redis.stop();
    return codes.find((code) => code !== 0) ?? 0;
  };
  try {
    // All at once: those without read models wait for a projector to make them.
    await Promise.all(members.map((member) => member.start()));
    const proxies = before.split(/[\s,]+/).filter(Boolean);
    const caddy = await caddyFor(port, members, {
      STELE_PROXIES: proxies.length > 0 ? `trusted_proxies static ${proxies.join(' ')}` : '',
    });
    const [first] = members;
    return {
      port,
      child: first!.child()!,
      pids: members.map((member) => member.pid()),
      printed: () => members.map((member) => member.printed()).join('\n'),
      databaseUrl: url,
      eventStoreUrl: store.EVENTSTORE_URL ?? null,
      stop: async (signal) => {
        // Whoever asks while the processes end is still answered; after a SIGKILL nobody is there anyhow.
        const code = await stopAll(signal);
        await caddy.stop();
        return code;
      },
    };
  } catch (fault) {
    await stopAll('SIGKILL');
    throw fault;
  }
}

async function databaseOf(folder: string): Promise<string> {
  const database = databases.get(folder) ?? freshDatabase();
  databases.set(folder, database);
  return databaseUrl((await database).config);
}
