// needs: database, git, redis, caddy

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { caddyFor, insistently, type Member, memberOf, through } from '../support/fleet/fleet-member.js';
import { RedisServer } from '../support/fleet/redis-server.js';
import { sized } from '../support/jest/sized.js';
import { EventStreamClient } from '../support/service/event-stream-client.js';
import { operator } from '../support/service/operator-command.js';
import { waitForOutput } from '../support/service/output.js';
import { reusablePort } from '../support/service/reusable-port.js';
import { temporaryFolder } from '../support/service/stele.js';
import { upToDate } from '../support/service/up-to-date.js';
import { GitHost } from '../support/sites/git-host.js';

jest.setTimeout(120_000);

/** Time for which random processes are killed, after each process has been killed once. */
const KILLING_MS = sized(8_000, 0);
/**
 * Pause between a writer's requests. Without it, the writers would use the whole CPU, and processes would restart
 * slowly.
 */
const PAUSE_MS = 50;
/** Time for which a write waits for a process that lags behind. After that, this process may serve older pages. */
const WAITS_FOR_OTHERS_MS = 1_000;

describe('Seven processes with different roles behind Caddy, sharing one PostgreSQL and one Redis', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let host: GitHost;
  let redis: RedisServer;
  let caddy: Awaited<ReturnType<typeof caddyFor>>;
  let port: number;
  let env: Record<string, string>;
  let members: Member[];
  let client: ReturnType<typeof through>;

  beforeAll(async () => {
    [temporary, database, host, redis, port] = await Promise.all([
      temporaryFolder('fleet'),
      freshDatabase(),
      GitHost.open(),
      RedisServer.at(),
      reusablePort(),
    ]);
    await redis.start();
    env = {
      DATABASE_URL: databaseUrl(database.config),
      REDIS_URL: redis.url,
      STELE_DATA: temporary.folder,
      STELE_SECRET_KEY: randomBytes(32).toString('base64'),
      STELE_BASE_URL: `http://localhost:${port}`,
      STELE_SITE_DOMAIN: `localhost:${port}`,
      STELE_REPO_HOSTS: host.listed,
      STELE_TRUSTED_PROXIES: '127.0.0.1',
    };
    const roles = ['api', 'api', 'serve', 'worker', 'worker', 'projector', 'projector'];
    members = await Promise.all(roles.map((role) => memberOf(role, env)));
    // All processes must start at the same time, because they wait for a projector to create the read models.
    await Promise.all(members.map((member) => member.start()));
    caddy = await caddyFor(port, members);
    client = through(port);
  }, 120_000);
  afterAll(async () => {
    await caddy?.stop();
    await Promise.all((members ?? []).map((member) => member.stop()));
    await redis?.stop();
    await host?.close();
    await database?.drop();
    await temporary?.remove();
  }, 60_000);

  const member = (role: string) => members.find(({ roles }) => roles === role)!;
  const deploy = async (html: string) =>
    (await client.post('/v1/deploy').type('html').send(html).expect(200)).body as {
      slug: string;
      editToken: string;
      deployId: string;
    };
  const redeploy = ({ slug, editToken }: { slug: string; editToken: string }, html: string) =>
    client
      .patch('/v1/deploy')
      .query({ slug })
      .set({ 'x-svc-edit-token': editToken, 'content-type': 'text/html' })
      .send(html);

  const timed = async (sent: ReturnType<typeof redeploy>) => {
    const began = performance.now();
    const answer = await sent.expect(200);
    return { ...answer, headers: answer.headers, tookMs: performance.now() - began };
  };
  /** Expects that a site shows this text immediately, or soon if the write did not wait for all processes. */
  async function expectShown(slug: string, text: string, { tookMs }: { readonly tookMs: number }) {
    const shown = async () => (await client.visit(slug).expect(200)).text;
    if (tookMs >= WAITS_FOR_OTHERS_MS) while ((await shown()) !== text) await delay(20);
    expect(await shown()).toBe(text);
  }

  it('each process does only the work of its own role', async () => {
    const { slug } = await deploy('<p>parts</p>');
    for (const each of members) {
      const direct = through(each.port);
      await direct.get('/health').expect(200);
      await direct.get('/ready').expect(200);
      expect(each.printed()).not.toContain('Warning');
      const limits = await direct.get('/v1/limits');
      const site = await direct.visit(slug);
      if (each.roles !== 'api') expect(limits.body).toMatchObject({ status: 421, code: 'wrong_host' });
      expect([each.roles, limits.status, site.status]).toEqual([
        each.roles,
        each.roles === 'api' ? 200 : 421,
        each.roles === 'serve' ? 200 : 421,
      ]);
    }
  });

  it('a deploy or rollback through one process is immediately visible through all other processes', async () => {
    const site = await deploy('0');
    for (let turn = 1; turn <= 20; turn++) {
      const written = await timed(redeploy(site, `${turn}`));
      // These reads can reach any process, and do not send the position of the write.
      await expectShown(site.slug, `${turn}`, written);
      const read = () => client.get(`/v1/sites/${site.slug}/deploys`).set('x-svc-edit-token', site.editToken);
      const { status, body } = await upToDate(read, written.headers['stele-position']);
      expect([status, body.total]).toEqual([200, turn + 1]);
    }
    const rolled = await timed(
      client
        .post(`/v1/sites/${site.slug}/rollback`)
        .set('x-svc-edit-token', site.editToken)
        .send({ deployId: site.deployId }),
    );
    await expectShown(site.slug, '0', rolled);
    expect((await client.get(`/s/${site.slug}/`).expect(200)).text).toBe('0');
    // Both paths get the site's own 404 page: an encoded `..` does not lead out of the site.
    for (const path of ['nothing', '..%2f..%2fnothing'])
      expect((await client.get(`/s/${site.slug}/${path}`).expect(404)).text).toContain('Page not found');

    const told = { 'x-svc-edit-token': site.editToken, 'stele-position': rolled.headers['stele-position']! };
    for (const api of members.filter(({ roles }) => roles === 'api')) {
      const read = () => through(api.port).get(`/v1/sites/${site.slug}/history`).set(told);
      const { body } = await upToDate(read, told['stele-position']);
      expect(body.items[0]).toMatchObject({ type: 'SiteRolledBack', revision: 23 });
    }
  });

  it('a deploy is acknowledged only after the process that serves the site has applied it', async () => {
    const site = await deploy('before');
    const { pid } = member('serve');
    process.kill(pid(), 'SIGSTOP');
    const written = timed(redeploy(site, 'after'));
    const first = await Promise.race([written, delay(300, 'waits')]).finally(() => process.kill(pid(), 'SIGCONT'));
    expect(first).toBe('waits');
    await expectShown(site.slug, 'after', await written);
  });

  it('a repository is deployed by exactly one worker, and the job can be followed through another process', async () => {
    host.commit('site', { 'index.html': '<h1>From a repository</h1>' });
    const { body: started } = await client
      .post('/v1/repo/deploy')
      .send({ url: host.url('site'), slug: 'from-git' })
      .expect(200);
    const watching = new EventStreamClient(`http://localhost:${port}/v1/jobs/${started.jobId}/events`);
    const heard = await watching.until(({ event }) => event === 'job.succeeded');
    expect(heard.filter(({ event }) => event === 'job.started')).toHaveLength(1);
    let page = await client.visit('from-git');
    for (; page.status !== 200; page = await client.visit('from-git')) await delay(20);
    expect(page.text).toBe('<h1>From a repository</h1>');
  });

  it.each(['elsewhere.example', '127.0.0.2', 'a.b.localhost'])(
    'requests for the unknown host %s are refused',
    async (host) => {
      for (const path of ['/v1/limits', '/s/any/', '/'])
        expect((await client.get(path).set('host', host).expect(421)).body.code).toBe('wrong_host');
    },
  );

  it('a process with a different data folder refuses to start', async () => {
    const elsewhere = await temporaryFolder('elsewhere');
    const other = await memberOf('serve', { ...env, STELE_DATA: elsewhere.folder });
    await expect(other.start()).rejects.toThrow(/belongs to a different data folder[\s\S]*STELE_DATA/);
    await elsewhere.remove();
  });

  it('if processes are killed at random, clients that retry see no errors and miss no events', async () => {
    const site = await deploy('start');
    let isOver = false;
    /** Minimum number of deploys. A retry without an idempotency key may have deployed again. */
    let least = Number.POSITIVE_INFINITY;

    const write = async (to: typeof site, headers: (turn: number) => Record<string, string>) => {
      let written = 0;
      while (!isOver) {
        written++;
        const sent = await insistently(() => redeploy(to, `${written}`).set(headers(written)));
        expect(sent.status).toBe(200);
        const page = await insistently(() => client.visit(to.slug));
        expect([page.status, page.text]).toEqual([200, `${written}`]);
        await delay(PAUSE_MS);
      }
      return written;
    };
    const writing = write(site, () => ({}));
    const keyed = await deploy('start');
    const writingKeyed = write(keyed, (turn) => ({ 'idempotency-key': `content-${turn}` }));

    const watching = (async () => {
      const ids: number[] = [];
      const seenAll = async () => {
        const { body } = await insistently(() =>
          client.get(`/v1/sites/${site.slug}/history`).query({ limit: 1 }).set('x-svc-edit-token', site.editToken),
        );
        return ids.length >= body.total;
      };
      while (ids.length < least || !(await seenAll())) {
        const connection = new EventStreamClient(`http://localhost:${port}/v1/sites/${site.slug}/events`, {
          'x-svc-edit-token': site.editToken,
          ...(ids.length > 0 && { 'last-event-id': String(ids.at(-1)) }),
        });
        const look = setInterval(() => least < Number.POSITIVE_INFINITY && connection.cut(), 500);
        await connection.closed;
        clearInterval(look);
        ids.push(...connection.events.flatMap(({ id }) => (id === null ? [] : [id])));
      }
      return ids;
    })();

    const began = performance.now();
    const killed: string[] = [];
    const waiting = members.toSorted(() => Math.random() - 0.5);
    for (const next of waiting) {
      await next.kill();
      killed.push(next.roles);
      await next.start();
    }
    while (performance.now() - began < KILLING_MS) {
      const next = members[Math.floor(Math.random() * members.length)]!;
      await next.kill();
      killed.push(next.roles);
      await next.start();
    }
    isOver = true;
    least = (await writing) + 2;
    const ids = await watching;
    expect(killed.length).toBeGreaterThanOrEqual(members.length);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    const once = (await writingKeyed) + 1;
    const { body } = await client
      .get(`/v1/sites/${keyed.slug}/deploys`)
      .set('x-svc-edit-token', keyed.editToken)
      .expect(200);
    expect(body.total).toBe(once);

    const verified = await operator('projections', ['verify'], env).ran;
    expect([verified.code, verified.err + verified.out]).toEqual([0, expect.any(String)]);
  }, 300_000);

  it('each process exits when asked to stop', async () => {
    const asked = members.map((each) => each.stop());
    expect(await Promise.all(asked)).toEqual(members.map(() => 0));
    await waitForOutput(member('api').printed, 'SIGTERM: stopping');
  }, 60_000);
});
