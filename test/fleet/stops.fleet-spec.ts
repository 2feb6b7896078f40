// needs: database, git, redis, caddy

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { type Member, memberOf, through } from '../support/fleet/fleet-member.js';
import { EventStreamClient } from '../support/service/event-stream-client.js';
import { waitForOutput } from '../support/service/output.js';
import { temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';

/** Maximum time that a supervisor allows for a stop. Stops are not expected to take this long. */
const ENDS_WITHIN = 15_000;
const PIECE = 'x'.repeat(20_000);

describe('Stopping a process', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let host: GitHost;
  let env: Record<string, string>;
  let roles: Map<string, Member>;
  const asked = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();

  beforeAll(async () => {
    host = await GitHost.open(async ({ url, method }) => {
      if (method === 'POST' && url?.endsWith('/git-upload-pack')) {
        asked.resolve();
        await goesOn.promise;
      }
      return false;
    });
    [temporary, database] = await Promise.all([temporaryFolder('stops'), freshDatabase()]);
    env = {
      DATABASE_URL: databaseUrl(database.config),
      STELE_DATA: temporary.folder,
      STELE_SECRET_KEY: randomBytes(32).toString('base64'),
      STELE_BASE_URL: 'http://localhost:20',
      STELE_SITE_DOMAIN: 'localhost:20',
      STELE_REPO_HOSTS: host.listed,
    };
    const all = await Promise.all(['api', 'serve', 'worker', 'projector'].map((role) => memberOf(role, env)));
    roles = new Map(all.map((member) => [member.roles, member]));
    await Promise.all(all.map((member) => member.start()));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...(roles?.values() ?? [])].map((member) => member.stop()));
    await host?.close();
    await database?.drop();
    await temporary?.remove();
  }, 120_000);

  const member = (role: string) => roles.get(role)!;
  const own = { host: 'localhost:20' };
  /**
   * Sends the stop signal, and waits until the process has reported it. Returns a function that resolves to the exit
   * code.
   */
  async function ask(role: string) {
    const began = performance.now();
    const ended = member(role).stop();
    await waitForOutput(member(role).printed, 'SIGTERM: stopping');
    return async () => {
      const code = await ended;
      expect(performance.now() - began).toBeLessThan(ENDS_WITHIN);
      return code;
    };
  }
  const answered = async (asking: ClientRequest) => {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return answer;
  };

  /** Visits a new site. Retries, because on a slow machine the serving process learns of the site a moment later. */
  async function visitSoon(slug: string) {
    const visit = () =>
      through(member('serve').port)
        .visit(slug)
        .set({ host: `${slug}.localhost:20` });
    let page = await visit();
    for (; page.status !== 200; page = await visit()) await delay(50);
    return page;
  }

  it('a worker that is stopping returns its running job to the queue', async () => {
    host.commit('plain', { 'index.html': '<h1>from git</h1>' });
    const api = through(member('api').port);
    const sent = api
      .post('/v1/repo/deploy')
      .set(own)
      .send({ url: host.url('plain') });
    const { jobId, slug } = (await sent.expect(200)).body;
    await asked.promise;
    const ended = await ask('worker');
    expect(await ended()).toBe(0);
    const job = async () => (await api.get(`/v1/jobs/${jobId}`).set(own).expect(200)).body;
    // Another process updates the read models, so the new status takes a moment to appear.
    while ((await job()).status !== 'queued') await delay(50);

    goesOn.resolve();
    await member('worker').start();
    const watching = new EventStreamClient(`http://127.0.0.1:${member('api').port}/v1/jobs/${jobId}/events`, own);
    await watching.until(({ event }) => event === 'job.succeeded');
    watching.cut();
    await visitSoon(slug);
  }, 120_000);

  it('a process that is stopping finishes sending a page to a visitor', async () => {
    const page = PIECE.repeat(500);
    const deploying = through(member('api').port).post('/v1/deploy').set(own).type('html').send(page);
    const { slug } = (await deploying.expect(200)).body;
    const visit = { host: '127.0.0.1', port: member('serve').port, headers: { host: `${slug}.localhost:20` } };
    await visitSoon(slug);
    const answer = await answered(get({ ...visit, agent: false }));
    answer.pause();
    const ended = await ask('serve');
    expect((await text(answer)).length).toBe(page.length);
    expect(await ended()).toBe(0);
    await member('serve').start();
  }, 120_000);

  it('an API process that is stopping completes a running deploy, and tells stream clients when to reconnect', async () => {
    const { port } = member('api');
    const { body: site } = await through(port).post('/v1/deploy').set(own).type('html').send('x').expect(200);
    const path = `/v1/sites/${site.slug}/events`;
    const token = { ...own, 'x-svc-edit-token': site.editToken };
    const watching = new EventStreamClient(`http://127.0.0.1:${port}${path}`, token);
    await watching.count(2);
    watching.retry = null;

    const headers = { ...own, 'content-type': 'text/html', 'content-length': 10 * PIECE.length };
    const deploying = request({ host: '127.0.0.1', port, agent: false, method: 'POST', path: '/v1/deploy', headers });
    const answering = answered(deploying);
    deploying.write(PIECE);
    await through(port).get('/health').set(own).expect(200);
    const ended = await ask('api');
    expect(await watching.closed).toBe(true);
    expect(watching.retry).toBeGreaterThan(0);
    for (let piece = 1; piece < 10; piece++) {
      await delay(200);
      deploying.write(PIECE);
    }
    const answer = await answering;
    const { slug } = JSON.parse(await text(answer));
    expect(answer.statusCode).toBe(200);
    expect(await ended()).toBe(0);
    expect((await visitSoon(slug)).text).toHaveLength(10 * PIECE.length);

    await member('api').start();
    const again = new EventStreamClient(`http://127.0.0.1:${port}${path}`, { ...token, 'last-event-id': '1' });
    expect((await again.count(1)).map(({ id }) => id)).toEqual([2]);
    again.cut();
  }, 120_000);

  it('a projector exits with code 0 when asked to stop', async () => {
    const ended = await ask('projector');
    expect(await ended()).toBe(0);
    await member('projector').start();
  }, 120_000);
});
