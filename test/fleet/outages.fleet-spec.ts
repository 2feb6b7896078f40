// needs: database, git, redis, caddy

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { ownPostgres } from '../support/database/test-database.js';
import { type Disasters, survives } from '../support/faults/disasters.js';
import { SteadyClients } from '../support/faults/steady-clients.js';
import { caddyFor, type Member, memberOf } from '../support/fleet/fleet-member.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { MailServer } from '../support/people/mail-server.js';
import { operator } from '../support/service/operator-command.js';
import { reusablePort } from '../support/service/reusable-port.js';
import { temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';

describe('Seven processes under load, during PostgreSQL and Redis outages', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let postgres: Awaited<ReturnType<typeof ownPostgres>>;
  let git: GitHost;
  let mails: MailServer;
  let redis: RedisServer;
  let caddy: Awaited<ReturnType<typeof caddyFor>>;
  let env: Record<string, string>;
  let members: Member[];
  let clients: SteadyClients;

  beforeAll(async () => {
    let port: number;
    [temporary, postgres, git, mails, redis, port] = await Promise.all([
      temporaryFolder('outages'),
      ownPostgres(),
      GitHost.open(),
      MailServer.open(),
      RedisServer.at(),
      reusablePort(),
    ]);
    await redis.start();
    env = {
      DATABASE_URL: databaseUrl(postgres.config),
      REDIS_URL: redis.url,
      SMTP_URL: mails.url,
      STELE_DATA: temporary.folder,
      STELE_SECRET_KEY: randomBytes(32).toString('base64'),
      STELE_BASE_URL: `http://localhost:${port}`,
      STELE_SITE_DOMAIN: `localhost:${port}`,
      STELE_REPO_HOSTS: git.listed,
      STELE_TRUSTED_PROXIES: '127.0.0.1',
      STELE_RATE_LIMITS: 'on',
    };
    const roles = ['api', 'api', 'serve', 'worker', 'worker', 'projector', 'projector'];
    members = await Promise.all(roles.map((role) => memberOf(role, env)));
    await Promise.all(members.map((member) => member.start()));
    caddy = await caddyFor(port, members);
    clients = new SteadyClients(port, { git, mails });
    await clients.begin();
  }, 240_000);
  afterAll(async () => {
    await clients?.stop();
    await Promise.all((members ?? []).map((member) => member.stop()));
    await caddy?.stop();
    await redis?.stop();
    await mails?.down();
    await git?.close();
    await postgres?.stop();
    await temporary?.remove();
  }, 120_000);

  const disasters: Disasters = {
    'PostgreSQL restarts normally': () => postgres.restart(),
    'PostgreSQL crashes and recovers': () => postgres.crash(),
    'PostgreSQL is away until every client was refused': () =>
      clients.whileCutOff(() => postgres.away(() => clients.answered())),
    'PostgreSQL hangs for three seconds': () => clients.whileCutOff(() => postgres.hang(() => delay(3_000))),
    'PostgreSQL hangs until every client was refused': () =>
      clients.whileCutOff(() => postgres.hang(() => clients.answered())),
    'Redis stops and starts': async () => {
      await redis.stop();
      await clients.goOn();
      await redis.start();
    },
    'Redis hangs and resumes': async () => {
      redis.freeze();
      await clients.goOn();
      redis.thaw();
    },
    'both stop at once': () =>
      postgres.away(async () => {
        await redis.stop();
        await delay(1_000);
        await redis.start();
      }),
  };

  // If a process has exited unexpectedly, only its output shows why.
  afterEach(() => {
    const isOver = ({ child }: Member) => child()?.exitCode !== null || child()?.signalCode !== null;
    expect(members.filter(isOver).map(({ printed }) => printed())).toEqual([]);
  });

  survives(disasters, () => clients, [
    'PostgreSQL crashes and recovers',
    'PostgreSQL hangs until every client was refused',
    'Redis hangs and resumes',
    'both stop at once',
  ]);

  it('no acknowledged write is lost, and the read models match the log', async () => {
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    const verified = await operator('projections', ['verify'], env).ran;
    expect([verified.code, verified.err + verified.out]).toEqual([0, expect.any(String)]);
  }, 240_000);
});
