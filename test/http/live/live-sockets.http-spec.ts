import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';
import { newRunId, tell } from '../../support/sites/runs.js';

describe('Live streams over a WebSocket', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  const opened: WebSocketClient[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('sockets');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.cut();
  });
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  function open(headers: Record<string, string> = {}) {
    const socket = new WebSocketClient(`${stele.base}/v1/live`, headers);
    opened.push(socket);
    return socket;
  }
  const problem = (code: string, more: object = {}) =>
    expect.objectContaining({ event: 'problem', data: expect.objectContaining({ code }), ...more });
  const isProblem = ({ event }: { event: string }) => event === 'problem';
  const isEnd = ({ event }: { event: string }) => event === 'end';

  it('a WebSocket carries several streams, each with its own events', async () => {
    const [one, two] = [newRunId(), newRunId()];
    await tell(stele, one, 'run.started').expect(202);
    const socket = open();
    for (const runId of [one, two]) socket.say({ op: 'subscribe', stream: `run:${runId}` });
    for (const runId of [two, one]) await tell(stele, runId, 'run.succeeded', { of: runId }).expect(202);
    for (const runId of [one, two])
      await socket.until((message) => isEnd(message) && message.stream === `run:${runId}`);
    const of = (runId: string) => socket.messages.filter(({ stream }) => stream === `run:${runId}`);
    const at = expect.any(String);
    expect(of(one)).toEqual([
      { stream: `run:${one}`, id: 1, event: 'run.started', data: { at, data: {} } },
      { stream: `run:${one}`, id: 2, event: 'run.succeeded', data: { at, data: { of: one } } },
      { stream: `run:${one}`, event: 'end', data: {} },
    ]);
    expect(of(two).map(({ id, event }) => [id, event])).toEqual([
      [1, 'run.succeeded'],
      [undefined, 'end'],
    ]);
  });

  it('a subscription can resume a stream after a given revision, even if the stream has ended', async () => {
    const runId = newRunId();
    for (const kind of ['run.started', 'run.log', 'run.failed']) await tell(stele, runId, kind).expect(202);
    const stream = `run:${runId}`;
    const first = await open().say({ op: 'subscribe', stream, after: 1 }).until(isEnd);
    expect(first.map(({ id }) => id)).toEqual([2, 3, undefined]);
    const over = await open().say({ op: 'subscribe', stream, after: 3 }).until(isEnd);
    expect(over).toEqual([{ stream, event: 'end', data: {} }]);
    const beyond = await open().say({ op: 'subscribe', stream, after: 12 }).until(isEnd);
    expect(beyond.map(({ event }) => event)).toEqual(['reset', 'run.started', 'run.log', 'run.failed', 'end']);
  });

  it('no more events of a stream are sent after the client unsubscribes from the stream', async () => {
    const [left, kept] = [newRunId(), newRunId()];
    const socket = open().say({ op: 'subscribe', stream: `run:${left}` });
    await tell(stele, left, 'run.started').expect(202);
    await socket.until(({ event }) => event === 'run.started');
    socket.say({ op: 'unsubscribe', stream: `run:${left}` }).say({ op: 'subscribe', stream: `run:${kept}` });
    await tell(stele, kept, 'run.started').expect(202);
    await socket.until(({ stream }) => stream === `run:${kept}`);
    await tell(stele, left, 'run.succeeded').expect(202);
    await tell(stele, kept, 'run.succeeded').expect(202);
    await socket.until(isEnd);
    expect(socket.messages.filter(({ stream }) => stream === `run:${left}`)).toHaveLength(1);
  });

  it('a client can watch a site by sending an edit token; errors have the same codes as in the API', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('page').expect(200);
    const stream = `site:${site.slug}`;
    const socket = open().say({ op: 'subscribe', stream });
    expect(await socket.until(isProblem)).toEqual([problem('unauthenticated', { stream })]);
    socket.say({ op: 'auth', token: site.editToken }).say({ op: 'subscribe', stream });
    const heard = await socket.until(({ event }) => event === 'SiteDeployed');
    expect(heard.slice(1)).toMatchObject([
      { stream, id: 1, event: 'SiteCreated', data: { summary: `Created as ${site.slug}` } },
      { stream, id: 2, event: 'SiteDeployed' },
    ]);
    socket.say({ op: 'subscribe', stream: 'site:no-such-site' });
    expect((await socket.until(({ data }) => data.code === 'site_not_found')).at(-1)).toEqual(
      problem('site_not_found'),
    );
  });

  it('the WebSocket handshake accepts a token from a client, but not from a page of another origin', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('page').expect(200);
    const token = { 'x-svc-edit-token': site.editToken };
    const subscribe = { op: 'subscribe', stream: `site:${site.slug}` };
    const created = ({ event }: { event: string }) => event === 'SiteCreated';
    await open(token).say(subscribe).until(created);
    await open({ ...token, origin: `http://localhost:${stele.port}` })
      .say(subscribe)
      .until(created);
    for (const origin of [`http://${site.slug}.localhost:${stele.port}`, 'https://evil.example', 'null']) {
      expect(
        await open({ ...token, origin })
          .say(subscribe)
          .until(isProblem),
      ).toEqual([problem('unauthenticated')]);
    }
  });

  it.each<[string, object | string | Buffer, string]>([
    ['invalid JSON', '{', ''],
    ['an array', '[]', ''],
    ['null', 'null', ''],
    ['a binary message', Buffer.from('{"op":"subscribe","stream":"run:x"}'), ''],
    ['deeply nested JSON', `{"op":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'op'],
    ['a missing op', {}, 'op'],
    ['an op named like a built-in object property', { op: 'constructor', stream: 'run:x' }, 'op'],
    ['a missing stream', { op: 'subscribe' }, 'stream'],
    ['an unknown stream', { op: 'subscribe', stream: 'secrets:x' }, 'stream'],
    ['a stream named like a built-in object property', { op: 'subscribe', stream: '__proto__:x' }, 'stream'],
    ['an invalid revision', { op: 'subscribe', stream: 'run:x', after: -1 }, 'after'],
    ['a revision of another type', { op: 'subscribe', stream: 'run:x', after: { a: 1 } }, 'after'],
    ['an empty token', { op: 'auth', token: '' }, 'token'],
    ['an unknown member', { op: 'auth', token: 'x', admin: true }, 'admin'],
  ])('%s causes an error message, and the WebSocket stays open', async (_what, said, path) => {
    const socket = open().say(said);
    const [told] = await socket.until(isProblem);
    expect(told).toEqual(problem('invalid_request'));
    expect(told.data.errors).toMatchObject([{ path }]);
    const runId = newRunId();
    socket.say({ op: 'subscribe', stream: `run:${runId}` });
    await tell(stele, runId, 'run.succeeded').expect(202);
    await socket.until(isEnd);
  });

  it('a client that sends an oversized message is disconnected', async () => {
    const socket = open().say('x'.repeat(5_000));
    expect(await socket.closed).toBe(1009);
  });

  it('a WebSocket can watch up to a hundred streams, and is closed if it requests ten thousand', async () => {
    const socket = open();
    for (let n = 0; n < 101; n++) socket.say({ op: 'subscribe', stream: `run:${newRunId()}` });
    expect(await socket.until(isProblem)).toEqual([problem('quota_exceeded')]);
    const greedy = open();
    for (let n = 0; n < 10_000; n++) greedy.say({ op: 'subscribe', stream: `run:${newRunId()}` });
    expect(await greedy.closed).toBe(1008);
    await stele.api.get('/health').expect(200);
  });

  it.each([
    ['another path', '/v1/limits', 'localhost', 404],
    ['a missing path', '/nowhere', 'localhost', 404],
    ['a site', '/v1/live', 'some-site.localhost', 404],
    ['an unknown host', '/v1/live', 'evil.example', 421],
  ])('a WebSocket request to %s gets an ordinary HTTP response', async (_what, path, host, expected) => {
    const head = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', 'sec-websocket-key: eA=='];
    const { status } = await sendRaw(
      stele.port,
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${head.join('\r\n')}\r\n\r\n`,
    );
    expect(status).toBe(expected);
  });
});
