import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SteleWithServers, startWithServers } from '../../support/servers/stand-in-servers.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { sendRaw, sendRawAndContinue, sendRawUntilClosed } from '../../support/service/raw-socket.js';
import { recordedRequests } from '../../support/sites/recorded-requests.js';

type Route = (request: IncomingMessage, response: ServerResponse) => void;

const told = new EventEmitter();
const LARGE = Buffer.alloc(3_000_000, 'all of it ');

const routes: Record<string, Route> = {
  '/': (_request, response) => response.setHeader('content-type', 'text/html').end('<h1>running'),
  '/echo': async (request, response) => {
    const { method, url, headers } = request;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  },
  '/headers': (_request, response) =>
    response
      .writeHead(200, [
        ...['service-worker-allowed', '/', 'clear-site-data', '"*"', 'x-accel-redirect', '/etc/passwd'],
        ...['connection', 'x-hop', 'x-hop', 'secret', 'alt-svc', 'h3=":1"', 'x-powered-by', 'me'],
        ...['set-cookie', 'a=1; Path=/', 'set-cookie', 'b=2; Domain=localhost', 'set-cookie', 'stele_visitor=x'],
        ...['set-cookie', '__Host-stele_session=x; Secure; Path=/', 'set-cookie', '=stele_visitor=x'],
        ...['cache-control', 'public, max-age=60', 'access-control-allow-origin', 'https://a.example'],
      ])
      .end('headers'),
  '/stream': (_request, response) => {
    response.write('one ');
    told.once('go on', () => response.end('two'));
  },
  '/large': (_request, response) => response.end(LARGE),
  '/refuses': (request, response) => {
    response.writeHead(413).end('too much');
    request.resume();
  },
  '/empty': (_request, response) => response.writeHead(204).end(),
  '/same': (_request, response) => response.writeHead(304, { etag: '"a"' }).end(),
  '/early': (_request, response) => {
    response.writeEarlyHints({ link: '</a.css>; rel=preload' });
    response.end('after hints');
  },
  '/trailers': (_request, response) => {
    response.writeHead(200, { trailer: 'x-sum' });
    response.write('body');
    response.addTrailers({ 'x-sum': '1' });
    response.end();
  },
  '/forever': (_request, response) => {
    response.write('begun');
    response.once('close', () => told.emit('left'));
  },
};

describe('Stopping the service', () => {
  it('the service waits for a site’s server to finish its response', async () => {
    const asked = new EventEmitter();
    const slow = createServer((_request, response) => {
      asked.emit('asked');
      asked.once('answer', () => response.end('in the end'));
    });
    slow.listen(join(tmpdir(), `stele-slow-${process.pid}.sock`));
    const stele = await startWithServers();
    await stele.run('slow', { socketPath: slow.address() as string });
    const isAsked = once(asked, 'asked');
    const answer = rawRequestsTo(stele.port, `slow.localhost:${stele.port}`)('/');
    await isAsked;
    const stopped = stele.stop();
    // A service that does not wait for running requests would exit within this time.
    await once(stele.child, 'exit', { signal: AbortSignal.timeout(2_500) }).catch(() => asked.emit('answer'));
    expect(String((await answer).body)).toBe('in the end');
    expect(await stopped).toBe(0);
    slow.close();
    slow.closeAllConnections();
  }, 120_000);
});

describe('A site with a server', () => {
  let stele: SteleWithServers;
  let program: Server;
  const socketPath = join(tmpdir(), `stele-program-${process.pid}.sock`);

  beforeAll(async () => {
    program = createServer((request, response) => {
      const route = routes[(request.url ?? '/').split('?', 1)[0] ?? '/'];
      if (route) route(request, response);
      else response.writeHead(404, { 'content-type': 'text/plain' }).end('none of mine');
    }).listen(socketPath);
    stele = await startWithServers();
    await stele.run('runs', { socketPath });
  }, 180_000);
  afterAll(async () => {
    await stele?.remove();
    program?.close();
    program?.closeAllConnections();
  });

  const host = () => `runs.localhost:${stele.port}`;
  const ask = (...args: Parameters<ReturnType<typeof rawRequestsTo>>) => rawRequestsTo(stele.port, host())(...args);
  const head = (line: string, ...fields: string[]) =>
    `${[`${line} HTTP/1.1`, `host: ${host()}`, ...fields].join('\r\n')}\r\n\r\n`;

  // The first plain request is handled by Node's HTTP server, and later ones by the fast path.
  describe.each([
    ['with requests on the fast path', {}],
    ['with requests through Node', { 'content-length': '0' }],
  ])('responses of a site’s server, %s', (_, more) => {
    const get = (path: string, headers = {}, method = 'GET') => ask(path, { ...more, ...headers }, method);

    it('a request to the site returns the response of its server', async () => {
      const { status, body, headers } = await get('/');
      expect([status, String(body)]).toEqual([200, '<h1>running']);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'origin-agent-cluster': '?1' });
      expect(headers['x-request-id']).toMatch(/^req_/);
      expect(headers.date).toBeDefined();
    });

    it('the status codes of the server are returned unchanged', async () => {
      expect(await get('/nothing')).toMatchObject({ status: 404, body: Buffer.from('none of mine') });
      expect(await get('/empty')).toMatchObject({ status: 204, body: Buffer.alloc(0) });
      expect(await get('/same')).toMatchObject({ status: 304, body: Buffer.alloc(0), headers: { etag: '"a"' } });
    });

    it('the server gets visitor details only from the service, and never gets the service’s credentials', async () => {
      const sent = {
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-proto': 'gopher',
        x_forwarded_host: 'evil.example',
        transfer_encoding: 'chunked',
        authorization: 'Bearer stele_session_abc',
        'x-svc-edit-token': 'stele_edit_abc',
        cookie: 'theme=dark; stele_visitor=a; __Host-stele_session=b',
        'x-own': 'kept',
        connection: 'close, x-hop',
        'x-hop': 'secret',
        te: 'trailers',
        'proxy-authorization': 'Basic secret',
      };
      const { headers } = JSON.parse(String((await get('/echo', sent)).body));
      expect(headers).toMatchObject({
        host: host(),
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': host(),
        'x-own': 'kept',
        cookie: 'theme=dark',
      });
      expect(headers['x-request-id']).toMatch(/^req_/);
      const never = ['authorization', 'x-svc-edit-token', 'x-hop', 'te', 'proxy-authorization'];
      for (const name of [...never, 'x_forwarded_host', 'transfer_encoding']) expect(headers).not.toHaveProperty(name);
    });

    it('the server can set only response headers that sites are allowed to set', async () => {
      const { headers } = await get('/headers');
      const never = ['service-worker-allowed', 'clear-site-data', 'x-accel-redirect', 'x-hop', 'alt-svc'];
      for (const name of never) expect(headers).not.toHaveProperty(name);
      expect(headers).toMatchObject({
        'set-cookie': ['a=1; Path=/'],
        'x-powered-by': 'me',
        'cache-control': 'public, max-age=60',
        'access-control-allow-origin': 'https://a.example',
      });
    });

    it('large responses of the server arrive complete', async () =>
      expect((await get('/large')).body.equals(LARGE)).toBe(true));

    it('the server’s response to HEAD has no content', async () =>
      expect(await get('/large', {}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.alloc(0) }));

    it('the server can send early hints and trailers', async () => {
      expect(String((await get('/early')).body)).toBe('after hints');
      expect(String((await get('/trailers')).body)).toBe('body');
    });
  });

  it('data reaches the visitor as the server writes it, before the response ends', async () => {
    await ask('/');
    const socket = connect(stele.port, '127.0.0.1');
    socket.write(head('GET /stream', 'connection: close'));
    let seen = '';
    socket.on('data', (bytes) => {
      seen += bytes;
      if (seen.endsWith('one \r\n')) told.emit('go on');
    });
    await once(socket, 'end');
    expect(seen).toMatch(/4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n$/);
  });

  it('the server receives request bodies of any length as they arrive', async () => {
    const body = 'sent '.repeat(400_000);
    const whole = await ask('/echo?a=b', { 'content-length': String(body.length) }, 'POST', body);
    expect(JSON.parse(String(whole.body))).toMatchObject({ method: 'POST', url: '/echo?a=b', body });
    const chunks = await ask('/echo', { 'transfer-encoding': 'chunked' }, 'PUT', body);
    expect(JSON.parse(String(chunks.body))).toMatchObject({ method: 'PUT', body });
    const none = await ask('/echo', {}, 'DELETE');
    expect(JSON.parse(String(none.body))).toMatchObject({ method: 'DELETE', body: '' });
  });

  it('the server receives the body of a client that waits for 100 Continue', async () => {
    const expecting = head('POST /echo', 'expect: 100-continue', 'content-length: 4', 'connection: close');
    const answer = await sendRawAndContinue(stele.port, expecting, 'body');
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*"body":"body"/);
  });

  it('the server can respond before it has received the whole request body', async () =>
    expect(await ask('/refuses', {}, 'POST', 'x'.repeat(2_000_000))).toMatchObject({ status: 413 }));

  it('the server is notified when its visitor disconnects', async () => {
    const left = once(told, 'left');
    const socket = connect(stele.port, '127.0.0.1');
    socket.write(head('GET /forever'));
    await once(socket, 'data');
    socket.destroy();
    await left;
  });

  it.each([
    ['both a length and chunks', ['content-length: 4', 'transfer-encoding: chunked']],
    ['two lengths', ['content-length: 4', 'content-length: 5']],
    ['a header that ends in a bare line feed', ['a: b\ntransfer-encoding: chunked']],
    ['an unknown transfer coding', ['transfer-encoding: xchunked', 'content-length: 4']],
  ])('a malformed request never reaches the server: %s', async (_, fields) => {
    const { status, text: answer } = await sendRaw(
      stele.port,
      `${head('POST /echo', ...fields)}0\r\n\r\nGET /smuggled`,
    );
    expect(status).toBe(400);
    expect(answer).not.toContain('smuggled');
  });

  it('pipelined requests get complete responses in order', async () => {
    const asked = ['/', '/large', '/echo', '/'].map((path) => head(`GET ${path}`)).join('');
    const answer = await sendRawUntilClosed(stele.port, `${asked}${head('GET /nothing', 'connection: close')}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([...Array(4).fill('HTTP/1.1 200'), 'HTTP/1.1 404']);
    expect(answer.slice(-60)).toContain('none of mine');
  });

  it('requests to the server are recorded, whether the fast path or Node’s HTTP server handles them', async () => {
    await stele.run('recorded', { socketPath });
    const site = await stele.api.get('/v1/sites/recorded').expect(200);
    const get = rawRequestsTo(stele.port, `recorded.localhost:${stele.port}`);
    await get('/?first=1');
    await get('/?second=2');
    await get('/large');
    await get('/echo', {}, 'POST', 'body');
    await get('/none', {}, 'HEAD');
    await get('/trailers');
    const entries = await recordedRequests(stele, site.body.id, 6);
    expect(entries.map(({ method, path, status, is_page }) => [method, path, status, is_page])).toEqual([
      ['GET', '/', 200, true],
      ['GET', '/', 200, true],
      ['GET', '/large', 200, false],
      ['POST', '/echo', 200, false],
      ['HEAD', '/none', 404, false],
      ['GET', '/trailers', 200, false],
    ]);
    expect(entries.slice(0, 3).map(({ bytes }) => Number(bytes))).toEqual([11, 11, LARGE.length]);
  });

  it('a site with a server is not available under the service’s own address', async () => {
    const answer = await stele.raw.get('/s/runs/');
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('only available on the site’s own host');
  });

  it('a later deploy of static files replaces the server, and each request to the server is counted as finished', async () => {
    await stele.run('short', { socketPath });
    await stele.visit('short').expect(200, '<h1>running');
    await stele.visit('short').expect(200, '<h1>running');
    const { body: made } = await stele.raw
      .post('/v1/deploy?slug=later')
      .send({ files: [{ path: 'index.html', content: 'x' }] });
    await stele.run('later', { socketPath });
    await stele.visit('later').expect(200, '<h1>running');
    await stele.visit('later').expect(200, '<h1>running');
    await stele.raw
      .patch('/v1/deploy?slug=later')
      .set('x-svc-edit-token', made.editToken)
      .send({ files: [{ path: 'index.html', content: 'files again' }] })
      .expect(200);
    await stele.visit('later').expect(200, 'files again');
    // A request is counted as finished shortly after its visitor has received the response.
    let uses = await stele.uses();
    for (const end = Date.now() + 20_000; uses.answered + uses.failed < uses.used && Date.now() < end; )
      uses = await stele.uses();
    expect(uses).toMatchObject({ answered: uses.used, failed: 0 });
  }, 180_000);
});
