import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendRawAndEnd, sendRawUntilClosed } from '../../support/service/raw-socket.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let editToken: string;
let etag: string;
let host: string;

const SCRIPT = 'export const answer = 42;\n'.repeat(400);
const NOISE = Array.from({ length: 40_000 }, (_, n) => String.fromCharCode((n * n * 31 + (n >> 3)) % 256)).join('');
const LARGE = 'x'.repeat(600_000);
const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');

beforeAll(async () => {
  temporary = await temporaryFolder('lane');
  stele = await startStele({ folder: temporary.folder });
  host = `lane.localhost:${stele.port}`;
  const files = [
    { path: 'index.html', content: '<p>home</p>' },
    { path: 'script.js', content: SCRIPT },
    { path: 'noise.png', content: base64(NOISE), encoding: 'base64' },
    { path: 'large.bin', content: base64(LARGE), encoding: 'base64' },
    { path: '404.html', content: '<p>not here</p>' },
    { path: '_headers', content: '/index.html\n  X-Said: hällo\n/*\n  X-All: yes\n' },
    { path: '_redirects', content: '/old /script.js 301\n/gone / 410\n' },
  ];
  ({
    body: { editToken },
  } = await stele.api.post('/v1/deploy?slug=lane').send({ files }).expect(200));
  await stele.api.post('/v1/deploy?slug=other').type('html').send('the other').expect(200);
  // Fills the cache for later requests for these paths. The service first compresses a body quickly (its ETag ends
  // in "q"), and soon replaces it by a smaller one, which would differ from earlier responses.
  for (const path of ['/', '/script.js', '/noise.png', '/large.bin'])
    for (const coding of ['identity', 'br', 'gzip'])
      for (let isQuick = true; isQuick; ) {
        const answer = await stele.visit('lane', path).set('accept-encoding', coding).expect(200);
        isQuick = /q"$/.test(answer.headers.etag ?? '');
        if (path === '/') etag = answer.headers.etag ?? '';
      }
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

const asking = (line: string, fields: readonly string[]) =>
  [`${line} HTTP/1.1`, `Host: ${host}`, ...fields, '', ''].join('\r\n');

async function opened() {
  const socket = connect(stele.port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  const heard = new Set<() => void>();
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
    for (const look of heard) look();
  });
  return {
    socket: socket as Socket,
    send: (bytes: string) => void socket.write(bytes, 'latin1'),
    next: (isHead = false) =>
      new Promise<string>((resolve) => {
        const look = () => {
          const end = text.indexOf('\r\n\r\n') + 4;
          const status = Number(text.slice(9, 12));
          const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? '0';
          const whole = end + (isHead || status === 304 ? 0 : Number(length));
          if (end < 4 || text.length < whole) return;
          heard.delete(look);
          const answer = text.slice(0, whole);
          text = text.slice(whole);
          resolve(answer);
        };
        heard.add(look);
        look();
      }),
  };
}

/** Sends the request in two pieces, because Node's parser reads incomplete requests. */
async function byNode(bytes: string): Promise<string> {
  const { socket, send } = await opened();
  let text = '';
  socket.on('data', (more: string) => {
    text += more;
  });
  socket.setNoDelay(true);
  send(bytes.slice(0, 1));
  // A response on a second connection shows that the service has read the first byte.
  await stele.raw.get('/health');
  send(bytes.slice(1));
  await once(socket, 'close');
  return text;
}

/** Returns the response without the parts that always differ: time, ID and Node's own connection headers. */
const comparable = (answer: string) => {
  const [head = '', ...body] = answer.replaceAll(/req_\w{26}/g, 'req_').split('\r\n\r\n');
  const lines = head.split('\r\n').filter((line) => !/^(date|connection|keep-alive):/i.test(line));
  return {
    head: lines.map((line) => line.replace(/^[^:]+:/, (name) => name.toLowerCase())),
    body: body.join('\r\n\r\n'),
  };
};

describe('Responses of the fast path', () => {
  const since = new Date(Date.now() + 60_000).toUTCString();
  it.each<[string, readonly string[]]>([
    ['GET /', []],
    ['HEAD /', []],
    ['GET /?a=b', []],
    ['GET /index.html', []],
    ['GET /script.js', []],
    ['GET /script.js', ['Accept-Encoding: br']],
    ['GET /script.js', ['accept-encoding: gzip, deflate']],
    ['HEAD /script.js', ['Accept-Encoding: br']],
    ['GET /script.js', ['Accept-Encoding: identity;q=0, *;q=0']],
    ['GET /noise.png', ['Accept-Encoding: br']],
    ['GET /', ['If-None-Match: ETAG']],
    ['HEAD /', ['If-None-Match: ETAG']],
    ['GET /', ['If-None-Match: "other"']],
    ['GET /', ['If-None-Match: "other"', 'If-None-Match: ETAG']],
    ['GET /', ['If-Match: "other"']],
    ['GET /', [`If-Modified-Since: ${since}`]],
    ['GET /noise.png', ['Range: bytes=0-9']],
    ['GET /noise.png', ['Range: bytes=-1']],
    ['GET /noise.png', ['Range: bytes=0-0,10-10']],
    ['GET /noise.png', ['Range: bytes=999999-']],
    ['GET /noise.png', ['Range: bytes=0-9', 'If-Range: "other"']],
    ['GET /large.bin', []],
    ['GET /large.bin', ['Range: bytes=599999-']],
    ['GET /nothing', []],
    ['GET /old', []],
    ['GET /gone', []],
    ['GET //', []],
    ['GET /%', []],
    ['GET /', ['Cookie: a=b', 'User-Agent: somebody', 'Accept: */*', 'X: \xe9']],
    ['GET /', ['Service-Worker: script']],
    ['GET /', ['Upgrade: websocket', 'Sec-WebSocket-Key: a']],
    ['GET /', ['Expect: 100-continue']],
    ['POST /', ['Content-Length: 0']],
    ['GET /', ['Content-Length: 0']],
    ['GET /', ['Host: other.localhost']],
    ['GET /', [' folded: x']],
    ['GET /', ['bad name: x']],
  ])('the fast path responds to %s %j exactly like Node’s HTTP server', async (line, fields) => {
    const bytes = asking(line, ['Connection: close', ...fields.map((field) => field.replace('ETAG', etag))]);
    const [quick, slow] = [await sendRawUntilClosed(stele.port, bytes), await byNode(bytes)];
    const boundary = /boundary=([0-9a-f]{32})/.exec(slow)?.[1] ?? 'none';
    const other = /boundary=([0-9a-f]{32})/.exec(quick)?.[1] ?? 'none';
    expect(comparable(quick.replaceAll(other, boundary))).toEqual(comparable(slow));
    expect(quick).toMatch(/^HTTP\/1\.1 \d{3} [\s\S]*\r\n\r\n/);
  });
});

describe('Connections on the fast path', () => {
  it('a connection can be used for sites, then for the service, then for sites again', async () => {
    const { socket, send, next } = await opened();
    for (const [line, wanted] of [
      ['GET /', '<p>home</p>'],
      ['GET /script.js', SCRIPT],
      ['GET /noise.png', NOISE],
      ['GET /large.bin', LARGE],
      ['GET /nothing', '<p>not here</p>'],
      ['GET /', '<p>home</p>'],
    ] as const) {
      send(asking(line, []));
      const answer = await next();
      expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(wanted);
      expect(answer).toMatch(/^connection: keep-alive\r$/im);
    }
    send(asking('HEAD /', []));
    expect(await next(true)).toMatch(/^HTTP\/1.1 200 [\s\S]*content-length: 11\r/i);
    send(asking('GET /', [`If-None-Match: ${etag}`]));
    expect(await next()).toMatch(/^HTTP\/1.1 304 /);
    send(`GET /health HTTP/1.1\r\nHost: localhost:${stele.port}\r\n\r\n`);
    expect(await next()).toMatch(/^HTTP\/1.1 200 [\s\S]*"status":"ok"/);
    send(asking('GET /', []));
    expect(await next()).toMatch(/<p>home<\/p>$/);
    socket.destroy();
  });

  it('responses are identical whether they are assembled or taken from the cache', async () => {
    const { socket, send, next } = await opened();
    const questions: readonly [string, readonly string[]][] = [
      ['GET /', []],
      ['HEAD /', []],
      ['GET /', [`If-None-Match: ${etag}`]],
      ['GET /script.js', ['Accept-Encoding: br']],
      ['GET /noise.png', []],
      ['GET /script.js', []],
    ];
    const heard = new Map<string, object>();
    for (let turn = 0; turn < 5; turn++)
      for (const [line, fields] of questions) {
        send(asking(line, fields));
        const answer = await next(line.startsWith('HEAD'));
        const question = `${line} ${fields}`;
        heard.set(question, heard.get(question) ?? comparable(answer));
        expect(comparable(answer)).toEqual(heard.get(question));
        const told = Date.parse(/^date: (.*)\r$/im.exec(answer)?.[1] ?? '');
        expect(Math.abs(told - Date.now())).toBeLessThan(60_000);
      }
    expect(new Set([...heard.values()].map((each) => JSON.stringify(each))).size).toBe(questions.length);
    socket.destroy();
  });

  it('a new deploy is visible in the next request', async () => {
    const { socket, send, next } = await opened();
    for (let turn = 0; turn < 5; turn++) {
      send(`GET / HTTP/1.1\r\nHost: turns.localhost\r\n\r\n`);
      expect(await next()).toContain(turn === 0 ? ' 404 ' : `turn ${turn - 1}`);
      const sent = await (turn === 0
        ? stele.api.post('/v1/deploy?slug=turns').type('html').send('turn 0').expect(200)
        : stele.api
            .patch('/v1/deploy?slug=turns')
            .set('x-svc-edit-token', editToken)
            .type('html')
            .send(`turn ${turn}`)
            .expect(200));
      if (turn === 0) editToken = sent.body.editToken;
    }
    socket.destroy();
  });

  it('pipelined requests get their responses in order', async () => {
    const paths = ['/', '/script.js', '/large.bin', '/nothing', '/noise.png', '/old', '/'];
    const requests = paths.map((path) => asking(`GET ${path}`, []));
    const together = await opened();
    together.send(requests.join(''));
    const apart = await opened();
    apart.socket.setNoDelay(true);
    for (const request of requests) apart.send(request);
    for (const path of paths) {
      const expected = comparable(await sendRawUntilClosed(stele.port, asking(`GET ${path}`, ['Connection: close'])));
      for (const { next } of [together, apart]) expect(comparable(await next())).toEqual(expected);
    }
    together.socket.destroy();
    apart.socket.destroy();
  });

  it.each(['/script.js', '/noise.png', '/large.bin'])(
    'repeated requests for %s always get the same response',
    async (path) => {
      const expected = comparable(await sendRawUntilClosed(stele.port, asking(`GET ${path}`, ['Connection: close'])));
      const connections = await Promise.all([opened(), opened()]);
      for (let n = 0; n < 60; n++) {
        for (const { send } of connections) send(asking(`GET ${path}`, []));
        for (const { next } of connections) expect(comparable(await next())).toEqual(expected);
      }
      for (const { socket } of connections) socket.destroy();
    },
  );

  it('a client that closes its half of the connection still gets its response before the connection is closed', async () => {
    for (const path of ['/', '/nothing', '/large.bin'])
      expect(await sendRawAndEnd(stele.port, asking(`GET ${path}`, []))).toMatch(/^HTTP\/1.1 (200|404) /);
    expect(await sendRawAndEnd(stele.port, '')).toBe('');
  });

  it('a client that disconnects during a response does not affect other clients', async () => {
    for (let n = 0; n < 50; n++) {
      const { socket, send } = await opened();
      send(asking(n % 2 === 0 ? 'GET /large.bin' : 'GET /nothing', []));
      if (n % 3 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    expect(await sendRawUntilClosed(stele.port, asking('GET /', ['Connection: close']))).toMatch(/home<\/p>$/);
    expect(stele.printed()).not.toMatch(/ERROR|Error:/);
  });
});

it('a stopping process closes idle connections at once, and busy connections after their response', async () => {
  const folder = await temporaryFolder('lane-stops');
  const own = await startStele({ folder: folder.folder });
  await own.api.post('/v1/deploy?slug=stops').type('html').send('here').expect(200);
  const socket = connect(own.port, '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\nHost: stops.localhost\r\n\r\n`);
  await once(socket, 'data');
  const closed = once(socket, 'close');
  expect(await own.stop()).toBe(0);
  await closed;
  await folder.remove();
}, 180_000);
