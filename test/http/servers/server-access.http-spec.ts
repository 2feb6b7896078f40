import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../support/people/sign-in.js';
import { NAVIGATION, visitorOf } from '../../support/people/site-visitor.js';
import { type SteleWithServers, startWithServers } from '../../support/servers/stand-in-servers.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';

type Person = Awaited<ReturnType<typeof signIn>>;

describe('Access to a site with a server', () => {
  let stele: SteleWithServers;
  let program: Server;
  let ann: Person;
  let eve: Person;
  const reached: string[] = [];
  const socketPath = join(tmpdir(), `stele-access-${process.pid}.sock`);

  beforeAll(async () => {
    program = createServer((request, response) => {
      reached.push(`${request.method} ${request.headers.cookie ?? ''}`);
      request.resume();
      response
        .writeHead(200, { 'content-type': 'text/html', 'cache-control': 'public, max-age=9' })
        .end('secret plans');
    }).listen(socketPath);
    stele = await startWithServers();
    ann = await signIn(stele, 'ann@example.org');
    eve = await signIn(stele, 'eve@example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.remove();
    program?.close();
    program?.closeAllConnections();
  });

  async function make(slug: string) {
    const files = [{ path: 'index.html', content: 'x' }];
    await stele.api.post(`/v1/deploy?slug=${slug}`).set(ann.bearer).send({ files }).expect(200);
    const deployId = await stele.run(slug, { socketPath });
    const preview = `dep-${deployId.slice(4)}.localhost:${stele.port}`;
    reached.length = 0;
    return {
      deployId,
      site: visitorOf(stele, `${slug}.localhost:${stele.port}`),
      preview: visitorOf(stele, preview),
      slug,
    };
  }
  const set = (slug: string, access: object) =>
    stele.api.post(`/v1/sites/${slug}/access`).set(ann.bearer).send(access).expect(200);

  it('the password is checked before a request reaches the server', async () => {
    const { site, slug } = await make('by-password');
    await site.visit('/');
    await site.visit('/');
    await set(slug, { visibility: 'password', password: 'open up!' });
    reached.length = 0;
    expect((await site.visit('/', NAVIGATION)).status).toBe(303);
    for (const method of ['GET', 'POST', 'DELETE']) expect((await site.visit('/', {}, method)).status).toBe(401);
    expect(await new WebSocketClient(stele.base, { host: `${slug}.localhost:${stele.port}` }).closed).toBe(401);
    expect(reached).toEqual([]);
    const { status, body, headers } = await site.visit('/', await site.byPassword('open up!'));
    expect([status, String(body), headers['cache-control']]).toEqual([200, 'secret plans', 'private, no-cache']);
    // The server received the request without the visitor's access cookie.
    expect(reached).toEqual(['GET ']);
  });

  it('the visitor’s role is checked before a request reaches the server', async () => {
    const { site, slug } = await make('by-role');
    await set(slug, { visibility: 'members' });
    expect((await site.visit('/', {}, 'PUT', 'body')).status).toBe(401);
    expect(reached).toEqual([]);
    const cookie = await site.asMember(ann.bearer);
    expect((await site.visit('/', cookie, 'PUT', 'body')).status).toBe(200);
    expect(reached).toEqual(['PUT ']);
  });

  it('access to earlier and unpublished deploys requires a role on the site', async () => {
    const { preview, deployId } = await make('earlier');
    for (const method of ['GET', 'POST']) {
      const answer = await preview.visit('/', { ...NAVIGATION, authorization: ann.bearer.authorization }, method);
      expect(answer.status).toBe(404);
      if (method === 'GET') expect(String(answer.body)).toContain('users who have a role');
    }
    expect(reached).toEqual([]);
    const way = `/visit?at=dep-${deployId.slice(4)}&to=/`;
    const stranger = await stele.raw.get(way).set({ ...eve.bearer, accept: 'text/html' });
    expect(stranger.status).toBe(403);
    const sent = await stele.raw.get(way).set({ ...ann.bearer, accept: 'text/html' });
    expect(sent.status).toBe(303);
    const entrance = new URL(sent.headers.location ?? '');
    const entered = await preview.visit(entrance.pathname + entrance.search, NAVIGATION);
    expect(entered.status).toBe(303);
    const cookie = String(entered.headers['set-cookie']).split(';', 1)[0] ?? '';
    expect(String((await preview.visit('/', { cookie })).body)).toBe('secret plans');
    expect((await preview.visit('/')).status).toBe(404);
  });

  it('deleting the site ends access to its server', async () => {
    const { site, slug } = await make('gone');
    expect((await site.visit('/')).status).toBe(200);
    await stele.api.delete(`/v1/sites/${slug}`).set(ann.bearer).expect(204);
    reached.length = 0;
    expect((await site.visit('/')).status).toBe(404);
    expect((await site.visit('/', {}, 'POST', 'x')).status).toBe(405);
    expect(reached).toEqual([]);
  });
});
