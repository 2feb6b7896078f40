import { reusablePort } from '../service/reusable-port.js';
import { caddyFor, type Member, memberOf } from './fleet-member.js';
import { RedisServer } from './redis-server.js';

const ROLES = ['api', 'api', 'serve', 'worker', 'worker', 'projector', 'projector'];

export type LocalFleet = {
  /** Port of Caddy. */
  readonly port: number;
  readonly members: readonly Member[];
  readonly printed: () => string;
  /** Sends a signal to all processes and returns the worst exit code. Caddy and Redis keep running. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | string | null>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Starts two api, one serve, two worker and two projector processes behind Caddy with the repository's Caddyfile. They
 * share a database, a folder and a Redis. The trusted proxies that `env` lists are in front of Caddy, so Caddy trusts
 * them as well.
 */
export async function openFleet(
  env: Readonly<Record<string, string>>,
  hear: (printed: Buffer) => void = () => undefined,
): Promise<LocalFleet> {
  const [port, redis] = await Promise.all([reusablePort(), RedisServer.at()]);
  await redis.start();
  const proxies = (env.STELE_TRUSTED_PROXIES ?? '').split(/[\s,]+/).filter(Boolean);
  const given = {
    REDIS_URL: redis.url,
    STELE_BASE_URL: `http://localhost:${port}`,
    STELE_SITE_DOMAIN: `localhost:${port}`,
    ...env,
    STELE_TRUSTED_PROXIES: ['127.0.0.1', ...proxies].join(' '),
  };
  const members = await Promise.all(ROLES.map((role) => memberOf(role, given, hear)));
  const end = async (signal: NodeJS.Signals) => {
    const codes = await Promise.all(members.map((member) => member.end(signal)));
    return codes.find((code) => code !== 0) ?? 0;
  };
  // Starts all processes at the same time, because they wait for a projector to create the read models.
  const start = async () => void (await Promise.all(members.map((member) => member.start())));
  try {
    await start();
    const caddy = await caddyFor(port, members, { STELE_PROXIES: proxies.join(' ') });
    const close = async () => void (await Promise.all([caddy.stop(), redis.stop()]));
    const printed = () => members.map((member) => member.printed()).join('\n');
    return { port, members, printed, end, start, close };
  } catch (fault) {
    await end('SIGKILL');
    await redis.stop();
    throw fault;
  }
}
