import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { signIn } from '../../support/people/sign-in.js';
import { NAVIGATION, visitorOf } from '../../support/people/site-visitor.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import { startBehindProxy } from '../../support/service/behind-proxy.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';

describe('Access to a site with two processes on one database', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Awaited<ReturnType<typeof startBehindProxy>>;
  let atTwo: ReturnType<typeof request>;
  let ann: Awaited<ReturnType<typeof signIn>>;

  beforeAll(async () => {
    temporary = await temporaryFolder('access-two');
    database = await freshDatabase();
    const DATABASE_URL = databaseUrl(database.config);
    one = await startStele({ folder: temporary.folder, env: { DATABASE_URL } });
    // Both processes have the same address, as behind a load balancer.
    const address = `localhost:${one.port}`;
    const env = { DATABASE_URL, STELE_BASE_URL: `http://${address}`, STELE_SITE_DOMAIN: address };
    two = await startBehindProxy(temporary.folder, env);
    atTwo = request(`http://127.0.0.1:${two.port}`);
    ann = await signIn(one, 'ann@example.org');
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  async function make(access: object) {
    const { body } = await one.api.post('/v1/deploy').set(ann.bearer).type('html').send('<h1>Plans</h1>').expect(200);
    const set = await setTo(body.slug, access);
    return { slug: body.slug as string, host: new URL(body.url).host, position: set.headers['stele-position'] ?? '' };
  }
  const setTo = (slug: string, access: object) =>
    one.api.post(`/v1/sites/${slug}/access`).set(ann.bearer).send(access).expect(200);

  /** Waits for a change, which should arrive within a second. A busy machine may need more. */
  async function soon(holds: () => Promise<boolean>) {
    const since = Date.now();
    while (!(await holds()))
      if (Date.now() - since > 20_000) throw new Error('The change did not take effect within 20 seconds.');
  }

  it('an access ticket from one process can be used once on the other process', async () => {
    const site = await make({ visibility: 'members' });
    await soon(async () => (await rawRequestsTo(two.port, site.host)('/')).status === 401);
    const ticket = await visitorOf(one, site.host).ticketFor(ann.bearer);
    const visitTwo = rawRequestsTo(two.port, site.host);
    const entered = await visitTwo(ticket, NAVIGATION);
    expect(entered.status).toBe(303);
    expect((await rawRequestsTo(one.port, site.host)(ticket, NAVIGATION)).status).toBe(400);
    const cookie = { cookie: String(entered.headers['set-cookie']).split(';', 1)[0] ?? '' };
    expect((await visitTwo('/', cookie)).body.toString()).toBe('<h1>Plans</h1>');
    expect((await rawRequestsTo(one.port, site.host)('/', cookie)).status).toBe(200);
  }, 180_000);

  it('a change of the site password takes effect on the other process', async () => {
    const site = await make({ visibility: 'password', password: 'first one' });
    const seenAtOne = visitorOf(one, site.host);
    const seenAtTwo = visitorOf({ port: two.port, raw: atTwo }, site.host);
    const cookie = await seenAtOne.byPassword('first one');
    await soon(async () => (await seenAtTwo.visit('/', cookie)).status === 200);
    await setTo(site.slug, { visibility: 'password', password: 'second one' });
    expect((await seenAtOne.visit('/', cookie)).status).toBe(401);
    await soon(async () => (await seenAtTwo.visit('/', cookie)).status === 401);
    await seenAtTwo.byPassword('second one');
  }, 180_000);

  it('the API of the other process immediately hides a private site from strangers and shows it to members', async () => {
    const site = await make({ visibility: 'members' });
    const seen = { 'stele-position': site.position };
    await atTwo.get(`/v1/sites/${site.slug}`).set(seen).expect(404);
    await atTwo
      .get(`/v1/sites/${site.slug}/history`)
      .set({ ...seen, ...ann.bearer })
      .expect(200);
    const stranger = await atTwo
      .patch(`/v1/deploy?slug=${site.slug}`)
      .set({ 'x-svc-edit-token': strangerToken, 'content-type': 'text/html' })
      .send('mine');
    expect([stranger.status, stranger.body.code]).toEqual([404, 'site_not_found']);
  });

  it('over live connections, members can watch a private site and strangers can’t see that it exists', async () => {
    const site = await make({ visibility: 'members' });
    const [stranger, missing, member] = [0, 1, 2].map(() => new WebSocketClient(`${one.base}/v1/live`));
    const subscribe = (slug: string) => ({ op: 'subscribe', stream: `site:${slug}` });
    const first = async (socket: WebSocketClient | undefined, slug: string) => {
      socket?.say(subscribe(slug));
      const [message] = (await socket?.until(() => true)) ?? [];
      const { requestId: _id, instance: _at, ...told } = message.data ?? message;
      return JSON.stringify(told).replaceAll(slug, '…');
    };
    const told = await first(stranger, site.slug);
    expect(told).toContain('site_not_found');
    expect(told).toBe(await first(missing, 'no-such-site'));

    const { authorization } = ann.bearer;
    member?.say({ op: 'auth', token: authorization.slice('Bearer '.length) }).say(subscribe(site.slug));
    const messages = await member?.until(({ event }) => event === 'SiteAccessSet');
    expect(messages?.length).toBeGreaterThan(0);
    for (const socket of [stranger, missing, member]) socket?.cut();
  });
});
