// needs: database, git, redis, caddy

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connectedSite } from '../support/connector/connected-site.js';
import { ExampleAgent } from '../support/connector/example-agent.js';
import { databaseUrl } from '../support/database/database-url.js';
import { ownPostgres } from '../support/database/test-database.js';
import { caddyFor, insistently, type Member, memberOf, through } from '../support/fleet/fleet-member.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { sized } from '../support/jest/sized.js';
import { signIn } from '../support/people/sign-in.js';
import { reusablePort } from '../support/service/reusable-port.js';
import { temporaryFolder } from '../support/service/stele.js';

const AGENTS = 4;
const STUCK_AGENTS = 2;
const INVOCATIONS = sized(200, 100);

/** A work function that is slow, and logs when it begins an item. */
const SLOW = `async function work(input) {
  console.log('began', input);
  await delay(150);
  return { twice: 2 * input };
}`;

/** Like `SLOW`, but never finishes the sixth item. */
const STUCK = `let begun = 0;
async function work(input) {
  console.log('began', input);
  await delay(++begun > 5 ? 3_600_000 : 150);
  return { twice: 2 * input };
}`;

type InLog = { readonly stream: string; readonly revision: number; readonly type: string; readonly attempt?: number };

describe('Three API processes and four agents, some of which are killed', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let postgres: Awaited<ReturnType<typeof ownPostgres>>;
  let redis: RedisServer;
  let caddy: Awaited<ReturnType<typeof caddyFor>>;
  let members: Member[];
  let client: ReturnType<typeof through>;
  let owner: Awaited<ReturnType<typeof signIn>>;
  let site: Awaited<ReturnType<typeof connectedSite>>;
  const agents: ExampleAgent[] = [];

  beforeAll(async () => {
    let port: number;
    [temporary, postgres, redis, port] = await Promise.all([
      temporaryFolder('connector-fleet'),
      ownPostgres(),
      RedisServer.at(),
      reusablePort(),
    ]);
    await redis.start();
    const env = {
      DATABASE_URL: databaseUrl(postgres.config),
      REDIS_URL: redis.url,
      STELE_DATA: temporary.folder,
      STELE_SECRET_KEY: randomBytes(32).toString('base64'),
      STELE_BASE_URL: `http://localhost:${port}`,
      STELE_SITE_DOMAIN: `localhost:${port}`,
      STELE_TRUSTED_PROXIES: '127.0.0.1',
      STELE_CONNECTOR_LEASE_SECONDS: '4',
    };
    const roles = ['api', 'api', 'api', 'serve', 'worker', 'projector'];
    members = await Promise.all(roles.map((role) => memberOf(role, env)));
    await Promise.all(members.map((member) => member.start()));
    caddy = await caddyFor(port, members);
    client = through(port);
    owner = await signIn({ api: client }, 'ann@example.org');
    site = await connectedSite({ api: client }, owner);
    for (let n = 0; n < AGENTS; n++) await start(n < STUCK_AGENTS ? STUCK : SLOW);
    await insistently(() => site.invoke(0));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await caddy?.stop();
    await Promise.all((members ?? []).map((member) => member.stop()));
    await redis?.stop();
    await postgres?.stop();
    await temporary?.remove();
  }, 60_000);

  const start = async (work = SLOW) => {
    const agent = await ExampleAgent.start('mjs', `http://127.0.0.1:${new URL(site.url).port}`, site.token, work);
    agents.push(agent);
    return agent;
  };
  const begunBy = (agent: ExampleAgent) => agent.printed().split('began').length - 1;
  const begun = () => agents.reduce((sum, agent) => sum + begunBy(agent), 0);
  const untilBegun = async (many: number) => {
    while (begun() < many) await delay(10);
  };

  /**
   * Behaves like a careful client: sends an idempotency key, retries if there is no response, and polls for the
   * result.
   */
  async function called(input: number): Promise<unknown> {
    const key = `invocation-${input}-of-the-test`;
    const first = await insistently(() => site.invoke(input).set('idempotency-key', key));
    const path = `/v1/sites/${site.slug}/connector/invocations/${first.body.id}`;
    for (let { status, body } = first; ; ) {
      if (status !== 200 && status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
      if (body.status !== 'queued' && body.status !== 'leased') return body.output ?? body;
      await delay(200);
      ({ status, body } = await insistently(() => client.get(path).set(owner.bearer)));
    }
  }

  async function log(): Promise<readonly InLog[]> {
    const database = new Client(postgres.config);
    await database.connect();
    const { rows } = await database
      .query(
        `select stream, revision::int, type, (data::jsonb->>'attempt')::int as attempt from events
         where stream like 'work-%' order by stream, revision`,
      )
      .finally(() => database.end());
    return rows;
  }

  it('each call to an agent gets exactly one response, despite crashes of agents, an API process and PostgreSQL', async () => {
    const asked = Array.from({ length: INVOCATIONS }, (_, n) => n + 1);
    const answering = Promise.all(asked.map(called));

    // Each of these agents is killed while it works on an item, so that the item has to be leased again.
    const stuck = agents.slice(0, STUCK_AGENTS);
    while (stuck.some((agent) => begunBy(agent) < 6)) await delay(10);
    await Promise.all(agents.splice(0, STUCK_AGENTS).map((agent) => agent.stop()));
    await start();
    await untilBegun(30);
    await members[0]!.kill();
    await untilBegun(45);
    await postgres.restart();
    await start();
    await members[0]!.start();

    expect(await answering).toEqual(asked.map((n) => ({ twice: 2 * n })));

    const streams = Map.groupBy(await log(), ({ stream }) => stream);
    // There is one stream more than `INVOCATIONS`, because an earlier invocation checked the agents.
    expect(streams.size).toBe(INVOCATIONS + 1);
    for (const events of streams.values()) {
      const types = events.map(({ type }) => type);
      expect(events.map(({ revision }) => revision)).toEqual(events.map((_, n) => events[0]!.revision + n));
      expect([types[0], types.at(-1)]).toEqual(['WorkQueued', 'WorkSucceeded']);
      expect(types.filter((type) => !['WorkLeased', 'WorkReturned'].includes(type))).toEqual([
        'WorkQueued',
        'WorkSucceeded',
      ]);
      // The result must come from the last agent that leased the work.
      const last = events.findLast(({ type }) => type === 'WorkLeased');
      expect(events.at(-1)!.attempt).toBe(last?.attempt);
    }
    const again = [...streams.values()].filter((events) => events.some(({ attempt = 0 }) => attempt > 1));
    expect(again.length).toBeGreaterThanOrEqual(1);
    const { body } = await client.get(`/v1/sites/${site.slug}/connector/invocations`).set(owner.bearer).expect(200);
    expect(body.total).toBe(INVOCATIONS + 1);
  }, 300_000);
});
