import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { strangerToken } from '../../support/people/stranger-token.js';
import { EventStreamClient, type Heard } from '../../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';
import { type AccessRow, siteIdOf, writeAccess } from '../../support/traffic/log-rows.js';

describe('The live log of a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let db: Client;
  let site: { slug: string; editToken: string };
  let siteId: string;
  const watching: (EventStreamClient | WebSocketClient)[] = [];

  const start = async () => {
    stele = await startStele({ folder: temporary.folder });
    db = new Client(stele.database);
    db.on('error', () => undefined);
    await db.connect();
  };
  beforeAll(async () => {
    temporary = await temporaryFolder('logs-live');
    await start();
  }, 180_000);
  afterAll(async () => {
    await db?.end();
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    site = (await stele.api.post('/v1/deploy').type('html').send('first').expect(200)).body;
    siteId = await siteIdOf(stele, site.slug, { 'x-svc-edit-token': site.editToken });
    // Waits until the log contains both entries of the first deploy.
    await stele.api.get(path()).set('x-svc-edit-token', site.editToken).expect(200);
  });
  afterEach(() => {
    for (const each of watching.splice(0)) each.cut();
  });

  const path = () => `/v1/sites/${site.slug}/logs`;
  const write = (...rows: AccessRow[]) => writeAccess(db, siteId, rows);
  const watch = (query = '', headers: Record<string, string> = {}) => {
    const client = new EventStreamClient(`${stele.base}${path()}${query}`, {
      'x-svc-edit-token': site.editToken,
      ...headers,
    });
    watching.push(client);
    return client;
  };
  const redeploy = (html: string) =>
    stele.api
      .patch('/v1/deploy')
      .query({ slug: site.slug })
      .set({ 'x-svc-edit-token': site.editToken, 'content-type': 'text/html' })
      .send(html)
      .expect(200);
  const pathsOf = (heard: readonly Heard[]) => heard.map(({ data }) => data.path);
  const isPath = (wanted: string) => (heard: Heard) => heard.data.path === wanted;

  it('the stream starts with existing entries, and continues with requests and deploys as they happen', async () => {
    const [id] = await write({ path: '/before' });
    const client = watch();
    await client.until(isPath('/before'));
    const [next] = await write({ path: '/after', status: 404 });
    await client.until(isPath('/after'));
    await redeploy('second');
    const heard = await client.until(({ event, data }) => event === 'deploy' && data.message.startsWith('Deploy 2'));
    expect(heard.map(({ event, data }) => [event, data.message])).toEqual([
      ['system', `Created as ${site.slug}`],
      ['deploy', 'Deploy 1: 1 file, 5 bytes'],
      ['access', 'GET /before 200'],
      ['access', 'GET /after 404'],
      ['deploy', 'Deploy 2: 1 file, 6 bytes'],
    ]);
    expect(heard.slice(2, 4).map((each) => [each.id, each.data.id])).toEqual([
      [id, String(id)],
      [next, String(next)],
    ]);
    const { body } = await stele.api.get(path()).set('x-svc-edit-token', site.editToken).expect(200);
    expect(heard.map(({ data }) => data).reverse()).toEqual(body.items);
  });

  it('the stream starts with the requested number of newest entries', async () => {
    await write(...Array.from({ length: 30 }, (_, n) => ({ path: `/${n}` })));
    const client = watch('?limit=3');
    await client.count(3);
    await write({ path: '/new' });
    expect(pathsOf(await client.count(4))).toEqual(['/27', '/28', '/29', '/new']);
  });

  it('the stream resumes after an entry without gaps or duplicates, even after a crash of the server', async () => {
    const client = watch();
    await client.count(2);
    await write({ path: '/1' }, { path: '/2' });
    const last = (await client.until(isPath('/2'))).at(-1)?.id;
    await write({ path: '/3' });
    await db.end();
    await stele.stop('SIGKILL');
    await start();
    await write({ path: '/4' });
    const again = watch('?after=1', { 'last-event-id': String(last) });
    await again.until(isPath('/4'));
    await write({ path: '/5' });
    expect(pathsOf(await again.until(isPath('/5')))).toEqual(['/3', '/4', '/5']);
    const from = watch(`?after=${last}&kind=access`);
    expect(pathsOf(await from.count(3))).toEqual(['/3', '/4', '/5']);
  }, 180_000);

  it('the stream can resume after an entry that thousands of newer entries have followed', async () => {
    const [first] = await write({ path: '/first' });
    await write(...Array.from({ length: 3_000 }, (_, n) => ({ path: `/${n}` })), { path: '/last' });
    const heard = await watch(`?after=${first}`).until(isPath('/last'));
    expect(pathsOf(heard)).toEqual([...Array.from({ length: 3_000 }, (_, n) => `/${n}`), '/last']);
  });

  it('each watcher can filter both existing and new entries', async () => {
    await write({ path: '/a', status: 404 }, { path: '/b' });
    const missing = watch('?status=404');
    const under = watch('?path=/docs');
    const deploys = watch('?kind=deploy');
    await Promise.all([missing.count(1), under.opened(), deploys.count(1)]);
    await write({ path: '/docs/1' }, { path: '/c', status: 404 }, { path: '/docs/2', status: 404 }, { path: '/d' });
    await redeploy('second');
    expect(pathsOf(await missing.count(3))).toEqual(['/a', '/c', '/docs/2']);
    expect(pathsOf(await under.count(2))).toEqual(['/docs/1', '/docs/2']);
    expect((await deploys.count(2)).map(({ event }) => event)).toEqual(['deploy', 'deploy']);
    // A stream can resume after an entry that its filter hides.
    const [hidden, shown] = await write({ path: '/e' }, { path: '/f', status: 404 });
    const resumed = watch('?status=404', { 'last-event-id': String(hidden) });
    expect((await resumed.count(1))[0]?.id).toBe(shown);
  });

  it('if the Last-Event-ID is beyond the end of the log, the stream starts over with the newest entries', async () => {
    const client = watch('?limit=1', { 'last-event-id': '999999999999' });
    const heard = await client.count(2);
    expect(heard.map(({ event }) => event)).toEqual(['reset', 'deploy']);
  });

  it('API clients can get the stream as lines of JSON', async () => {
    const answer = await fetch(`${stele.base}${path()}?limit=1`, {
      headers: { 'x-svc-edit-token': site.editToken, accept: 'application/x-ndjson' },
    });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"deploy"')) text += (await reader?.read())?.value ?? '';
    const [id] = await write({ path: '/x' });
    while (!text.includes('/x')) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'deploy', data: { message: 'Deploy 1: 1 file, 5 bytes' } },
      { id, event: 'access', data: { id: String(id), path: '/x' } },
    ]);
  });

  it('a WebSocket can watch the log too, with or without a filter', async () => {
    const socket = new WebSocketClient(`${stele.base}/v1/live`, { 'x-svc-edit-token': site.editToken });
    watching.push(socket);
    const [whole, some] = [`log:${site.slug}`, `log:${site.slug}?status=5xx&limit=5`];
    socket.say({ op: 'subscribe', stream: whole }).say({ op: 'subscribe', stream: some });
    await socket.until(({ event }) => event === 'deploy');
    await write({ path: '/ok' }, { path: '/broken', status: 503 });
    await socket.until(({ stream, data }) => stream === some && data.path === '/broken');
    await socket.until(({ stream, data }) => stream === whole && data.path === '/broken');
    const of = (stream: string) => socket.messages.filter((each) => each.stream === stream);
    expect(of(some).map(({ data }) => data.path)).toEqual(['/broken']);
    expect(of(whole).map(({ event }) => event)).toEqual(['system', 'deploy', 'access', 'access']);

    for (const stream of [`log:${site.slug}?colour=red`, `log:${site.slug}?before=7`, 'log:no-such-site', 'log:']) {
      socket.say({ op: 'subscribe', stream });
      await socket.until((each) => each.stream === stream && each.event === 'problem');
    }
    const stranger = new WebSocketClient(`${stele.base}/v1/live`, { 'x-svc-edit-token': strangerToken });
    watching.push(stranger);
    stranger.say({ op: 'subscribe', stream: whole });
    const [problem] = await stranger.until(({ event }) => event === 'problem');
    expect(problem.data.code).toBe('edit_token_invalid');
  });

  it('a request without access or with unsupported parameters is refused before the stream starts', async () => {
    expect((await watch('?before=7').opened()).status).toBe(400);
    expect((await watch('?page=2').opened()).status).toBe(400);
    expect((await watch('', { 'last-event-id': 'x' }).opened()).status).toBe(400);
    expect((await watch('', { 'last-event-id': 'x', accept: 'application/json' }).opened()).status).toBe(400);
    expect((await watch('', { 'x-svc-edit-token': strangerToken }).opened()).status).toBe(403);
  });

  async function shared() {
    const owner = await signIn(stele, 'owner@example.org');
    const member = await signIn(stele, 'member@example.org');
    const { body } = await stele.api.post('/v1/deploy').set(owner.bearer).type('html').send('mine').expect(200);
    const of = `/v1/sites/${body.slug}`;
    await stele.api
      .post(`${of}/invites`)
      .set(owner.bearer)
      .send({ email: member.user.email, role: 'viewer' })
      .expect(201);
    const { path: link } = await newestMail(stele, member.user.email);
    const token = new URLSearchParams(link.split('?')[1]).get('token');
    await stele.api.post('/v1/invites/accept').set(member.bearer).send({ token }).expect(200);
    const watchBy = (headers: Record<string, string>, query = '') => {
      const client = new EventStreamClient(`${stele.base}${of}/logs${query}`, headers);
      watching.push(client);
      return client;
    };
    return { owner, member, of, watchBy };
  }

  it('entries name actors as the history does: by name, by address (for owners only) or by a script’s name', async () => {
    const { owner, member, of, watchBy } = await shared();
    const { body: made } = await stele.api
      .post(`${of}/tokens`)
      .set(owner.bearer)
      .send({ name: 'nightly', role: 'editor' })
      .expect(201);
    const redeployed = stele.api
      .patch('/v1/deploy')
      .query({ slug: of.slice('/v1/sites/'.length) })
      .set({ authorization: `Bearer ${made.token}`, 'content-type': 'text/html' });
    await redeployed.send('by a script').expect(200);
    for (const [reader, called] of [
      [owner.bearer, 'owner@example.org'],
      [member.bearer, 'a member'],
    ] as const) {
      const { body } = await stele.api.get(`${of}/logs`).set(reader).expect(200);
      const heard = await watchBy(reader).until(({ data }) => data.message.startsWith('Deploy 2'));
      for (const entries of [body.items.toReversed(), heard.map(({ data }) => data)]) {
        const names = entries.map(({ actor }: { actor: { name?: string } }) => actor.name);
        expect([names[0], names.at(-1)]).toEqual([called, 'CI “nightly”']);
      }
    }
    await stele.api.patch('/v1/me').set(owner.bearer).send({ name: 'Olga' }).expect(200);
    const { body } = await stele.api.get(`${of}/logs`).set(member.bearer).expect(200);
    expect(body.items.at(-1).actor).toMatchObject({ kind: 'user', name: 'Olga' });
    await stele.api.patch('/v1/me').set(owner.bearer).send({ name: null }).expect(200);
  });

  it('the stream of a removed member ends immediately', async () => {
    const { owner, member, of, watchBy } = await shared();
    const client = watchBy(member.bearer, '?kind=access');
    await client.opened();
    const { body: members } = await stele.api.get(`${of}/members`).set(owner.bearer).expect(200);
    const { id } = members.items.find(({ role }: { role: string }) => role === 'viewer');
    await stele.api.delete(`${of}/members/${id}`).set(owner.bearer).expect(204);
    expect(await client.closed).toBe(true);
    // The service sent no heartbeat, so the removal ended the stream. A heartbeat also checks rights and could have
    // ended it as well.
    expect(client.comments).toEqual([]);
    await stele.api.get(`${of}/logs`).set(member.bearer).expect(403);
  });

  it('a slow watcher is told how many entries were skipped, and continues with the newest', async () => {
    const socket = connect(stele.port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await once(socket, 'data');
    };
    socket.write(
      `GET ${path()}?kind=access HTTP/1.0\r\nhost: localhost\r\nx-svc-edit-token: ${site.editToken}\r\naccept: application/x-ndjson\r\n\r\n`,
    );
    await until(() => text.includes('\r\n\r\n'));
    await write({ path: '/begin' });
    await until(() => text.includes('/begin'));

    socket.pause();
    const long = 'x'.repeat(1_000);
    const MANY = 16_000;
    for (let n = 0; n < MANY; n += 500)
      await write(...Array.from({ length: 500 }, (_, at) => ({ path: `/${n + at}/${long}` })));
    // When a second watcher has received the last entry, the server has also buffered every entry for the slow watcher.
    await watch('?kind=access&limit=1').until(({ data }) => data.path?.startsWith(`/${MANY - 1}/`));
    socket.resume();
    await until(() => text.includes('"skipped"') && text.includes(`"path":"/${MANY - 1}/`));
    await write({ path: '/end' });
    await until(() => text.includes('"path":"/end"'));
    socket.destroy();

    const lines = text
      .slice(text.indexOf('\r\n\r\n'))
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const heard = lines.map((line) => JSON.parse(line)) as {
      event: string;
      data: { count: number; after: string; before: string };
    }[];
    const skipped = heard.filter(({ event }) => event === 'skipped');
    const shown = heard.filter(({ event }) => event === 'access');
    expect(shown.length + skipped.reduce((sum, { data }) => sum + data.count, 0)).toBe(MANY + 2);
    const [gap] = skipped;
    const { body } = await stele.api
      .get(path())
      .query({ kind: 'access', limit: 500, after: gap?.data.after, before: gap?.data.before })
      .set('x-svc-edit-token', site.editToken)
      .expect(200);
    expect(body.items).toHaveLength(Math.min(500, gap?.data.count ?? 0));
  }, 180_000);

  it('the number of filters that watchers use at the same time is limited', async () => {
    /** Opens a stream once the service has noticed that the streams of earlier tests are closed. */
    const accepted = async (query: string) => {
      for (;;) {
        const client = await watch(query).opened();
        if (client.status === 200) return client;
        expect(client.status).toBe(429);
        await new Promise(setImmediate);
      }
    };
    const clients = await Promise.all(Array.from({ length: 32 }, (_, n) => accepted(`?path=/${n}`)));
    const refused = await watch('?path=/more').opened();
    expect(refused.status).toBe(429);
    expect((await watch('?path=/7').opened()).status).toBe(200);
    clients[0]?.cut();
    await accepted('?path=/more');
  });
});
