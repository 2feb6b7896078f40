import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendRaw, sendRawAndEnd, sendRawUntilClosed } from '../../support/service/raw-socket.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;

beforeAll(async () => {
  temporary = await temporaryFolder('door');
  stele = await startStele({ folder: temporary.folder });
  await stele.api.post('/v1/deploy?slug=otter').type('html').send('the otter').expect(200);
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

const ask = (host: string, path = '/v1/limits') =>
  sendRawUntilClosed(stele.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
const health = () => stele.api.get('/health').expect(200);

describe('Host header', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost:3000',
    'localhost.:1',
    'localhost:',
    '127.0.0.1:65535',
    '[::1]',
    '[::1]:3000',
  ])('the Host header %s selects the service', async (host) => {
    const text = await ask(host);
    expect(statuses(text)).toEqual([200]);
    expect(text).toContain('application/json');
  });

  it.each([
    'otter.localhost',
    'OTTER.LocalHost:3000',
    'otter.localhost.',
    'otter.localhost.:99999',
    'otter.localhost:',
  ])('the Host header %s selects a site', async (host) =>
    expect(await ask(host, '/')).toMatch(/ 200 [\s\S]*the otter$/),
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    'otter.localhost.evil.example',
    'notlocalhost',
    'a.otter.localhost',
    '.localhost',
    'under_score.localhost',
    'localhost..',
    '127.0.0.2',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '0.0.0.0',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
  ])('the Host header %j returns 421, even for a site’s path', async (host) => {
    for (const path of ['/v1/limits', '/s/otter/', '/']) {
      const text = await ask(host, path);
      expect(statuses(text)).toEqual([421]);
      expect(text).toContain('"code":"wrong_host"');
    }
  });

  it('a punycode host name selects no site', async () =>
    expect(await ask('xn--ttr-qla.localhost', '/')).toMatch(/ 404 [\s\S]*There is no site here/));

  it.each([
    'otter.localhost:3000@evil.example',
    'evil.example@otter.localhost',
    'evil.example@localhost',
    'localhost:3000:3000',
    'localhost:http',
    '',
    'localhost:-1',
    'localhost/../evil',
    'localhost\\evil',
    'localhost#.evil.example',
    'localhost?.evil.example',
    'localhost,evil.example',
    'localhost evil.example',
    'ot%74er.localhost',
    'ötter.localhost',
    '::1',
    '[::1',
    '[::1].evil.example',
    '[::1]]:3000',
    `${'a'.repeat(260)}.localhost`,
    `${'a.'.repeat(5_000)}localhost`,
  ])('the Host header %j returns 400 on every path', async (host) => {
    for (const path of ['/v1/limits', '/s/otter/', '/', '/health']) {
      const text = await ask(host, path);
      expect(statuses(text)).toEqual([400]);
      expect(text).toContain('"code":"invalid_request"');
    }
  });

  it('the Host header selects a site regardless of the case of its name and whitespace around its value', async () => {
    const request = `GET / HTTP/1.1\r\nhOsT: \t otter.localhost \t\r\nConnection: close\r\n\r\n`;
    expect(await sendRawUntilClosed(stele.port, request)).toContain('the otter');
  });

  it('headers that a proxy might add do not select a site', async () => {
    const answer = await stele.raw
      .get('/index.html')
      .set({ 'x-forwarded-host': 'otter.localhost', forwarded: 'host=otter.localhost', 'x-host': 'otter.localhost' });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('otter');
  });
});

describe('A request target in absolute form (RFC 9112 section 3.2.2)', () => {
  const whole = (target: string, host: string) =>
    sendRawUntilClosed(stele.port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

  it.each([
    ['http://localhost:3000/v1/limits', 'localhost:3000', 200],
    ['HTTP://LOCALHOST/health', 'localhost', 200],
    ['http://localhost/nothing', 'localhost', 404],
    ['http://localhost/s/otter/', 'localhost', 200],
    ['http://otter.localhost/', 'otter.localhost', 200],
    ['http://otter.localhost/v1/limits', 'otter.localhost', 404],
    ['http://otter.localhost', 'otter.localhost', 200],
    ['http://evil.example/v1/limits', 'evil.example', 421],
    ['http://otter.localhost/', 'localhost', 400],
    ['http://localhost/v1/limits', 'otter.localhost', 400],
    ['http://localhost:1/v1/limits', 'localhost:2', 400],
    ['http://localhost@evil.example/', 'localhost', 400],
    ['http://evil.example/', 'localhost', 400],
    ['ftp://localhost/v1/limits', 'localhost', 400],
    ['*', 'localhost', 400],
  ])('a request for %s with the Host %s returns %d', async (target, host, status) =>
    expect(statuses(await whole(target, host))).toEqual([status]),
  );
});

describe.each([
  ['the service', 'localhost', '/v1/waitlist'],
  ['a site', 'otter.localhost', '/'],
  ['a site under the service’s address', 'localhost', '/s/otter/'],
])('A request smuggled inside another one to %s is not executed', (_, host, path) => {
  const hidden = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const post = (headers: string, body: string) =>
    sendRawAndEnd(stele.port, `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n${body}`);
  const chunked = 'Transfer-Encoding: chunked\r\n';

  it.each([
    ['both a length and chunks', `Content-Length: 5\r\n${chunked}`, `0\r\n\r\n${hidden}`],
    ['both chunks and a length', `${chunked}Content-Length: 500\r\n`, `0\r\n\r\n${hidden}`],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 91\r\n', hidden],
    ['the same length twice', 'Content-Length: 0\r\nContent-Length: 0\r\n', hidden],
    ['two lengths in one header', 'Content-Length: 0, 91\r\n', hidden],
    ['a length with a sign', 'Content-Length: +0\r\n', hidden],
    ['a negative length', 'Content-Length: -1\r\n', hidden],
    ['a length in hexadecimal', 'Content-Length: 0x0\r\n', hidden],
    ['a length beyond the safe integers', 'Content-Length: 99999999999999999999\r\n', hidden],
    ['a length with a space before its colon', 'Content-Length : 0\r\n', hidden],
    ['a length on a folded line', 'X: y\r\n Content-Length: 0\r\n', hidden],
    ['a coding on a folded line', 'Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden}`],
    ['a coding with a space before its colon', 'Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`],
    ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`],
    ['a coding after a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n', `0\r\n\r\n${hidden}`],
    ['a NUL in the coding', 'Transfer-Encoding: chunked\0\r\n', `0\r\n\r\n${hidden}`],
    ['a NUL in a name', 'X\0Y: z\r\n', hidden],
    ['a header without a name', ': z\r\n', hidden],
    ['a header without a colon', 'Transfer-Encoding chunked\r\n', hidden],
    ['a bare line feed between headers', 'X: y\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`],
    ['a bare carriage return in a header', 'X: y\rTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`],
    ['a chunk with a signed size', chunked, `-1\r\n\r\n${hidden}`],
    ['a chunk with a size in C notation', chunked, `0x0\r\n\r\n${hidden}`],
    ['a chunk that is longer than its size', chunked, `1\r\nab\r\n0\r\n\r\n${hidden}`],
    ['a chunk that ends in a bare line feed', chunked, `1\na\n0\n\n${hidden}`],
    ['a chunk with an enormous size', chunked, `fffffffffffffffff\r\n${hidden}`],
  ])('a request smuggled with %s is not executed', async (_what, headers, body) => {
    const text = await post(headers, body);
    // The hidden request must get no response. A second error is possible, because the service may detect a malformed
    // body only while reading it.
    expect(statuses(text).every((status) => status >= 400 && status < 500)).toBe(true);
    expect(statuses(text).length).toBeLessThanOrEqual(2);
    expect(text).not.toContain('"openapi"');
    await health();
  });

  it('a body that looks like a request is not executed', async () => {
    const [first, ...others] = statuses(
      await post(`Content-Length: ${hidden.length}\r\n`, `${hidden}GET /health HTTP/1.0\r\n\r\n`),
    );
    expect(first).toBeGreaterThanOrEqual(400);
    expect(others.filter((status) => status !== 200 && status !== 421)).toEqual([]);
    expect(others.length).toBeLessThanOrEqual(1);
  });
});

describe('A WebSocket request to a path without WebSockets', () => {
  const handshake = (host: string, path: string) =>
    [
      `GET ${path} HTTP/1.1`,
      ...(host === '' ? [] : [`Host: ${host}`]),
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n');

  const refused: [host: string, path: string, status: number][] = [
    ['localhost', '/v1/live/x', 404],
    ['localhost', '/V1/live', 404],
    ['localhost', '/v1/%6cive', 404],
    ['localhost', '/health', 404],
    ['localhost', '/%E0%A4%A', 400],
    ['localhost', '/s/otter/', 404],
    ['otter.localhost', '/', 404],
    ['otter.localhost', '/v1/live', 404],
    ['no-such-site.localhost', '/v1/live', 404],
    ['dep-01jd4v8k3mqg5t2x9w7z6y4r1p.localhost', '/v1/live', 404],
    ['evil.example', '/v1/live', 421],
    ['otter.localhost@localhost', '/v1/live', 400],
    ['', '/v1/live', 400],
  ];

  it.each(refused)('a WebSocket request with the Host %j for %s is refused with %d', async (host, path, status) => {
    expect((await sendRaw(stele.port, handshake(host, path))).status).toBe(status);
  });

  it.each(refused)(
    'the connection is closed after a refused WebSocket request with the Host %j for %s',
    async (host, path) => {
      const text = await sendRawUntilClosed(stele.port, handshake(host, path));
      expect(statuses(text)).toHaveLength(1);
      expect(text).toMatch(/connection: close/i);
    },
  );

  it('no socket of a refused request remains open, even if the client never closes its end', async () => {
    const before = await openSockets();
    const held: Socket[] = [];
    const ended: Promise<unknown>[] = [];
    const refused = [
      handshake('localhost', '/health'),
      handshake('otter.localhost', '/'),
      handshake('evil.example', '/'),
      'CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'nonsense\r\n\r\n',
    ];
    for (const request of refused.flatMap((each) => Array<string>(10).fill(each))) {
      const socket = connect({ port: stele.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      ended.push(once(socket.resume(), 'end'));
      socket.write(request);
      held.push(socket);
    }
    await Promise.all(ended);
    while ((await openSockets()) > before) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const socket of held) socket.destroy();
  }, 180_000);

  async function openSockets(): Promise<number> {
    const folder = `/proc/${stele.child.pid}/fd`;
    const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
    return links.filter((link) => link.startsWith('socket:')).length;
  }

  it('a request that offers to switch to HTTP/2, as curl does, is not refused', async () => {
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const request = `GET / HTTP/1.1\r\nHost: otter.localhost\r\n${offer}\r\n`;
    const socket = connect(stele.port, '127.0.0.1');
    socket.write(request);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

describe('The service’s session cookie', () => {
  const cookie = 'stele_session=anything';
  const write = (headers: Record<string, string>) =>
    stele.api
      .post('/v1/waitlist')
      .set({ cookie, ...headers })
      .send({ email: 'visitor@example.org' });
  const own = () => `http://localhost:${stele.port}`;

  it('the session cookie permits writes from the service’s own pages, the address bar and non-browser clients', async () => {
    await write({ 'sec-fetch-site': 'same-origin', origin: own() }).expect(200);
    await write({ 'sec-fetch-site': 'none' }).expect(200);
    await write({ origin: own() }).expect(200);
    await write({ origin: `http://127.0.0.1:${stele.port}` }).expect(200);
    await write({}).expect(200);
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'http://otter.localhost' },
  ])('the session cookie permits no writes from other origins: %j', async (headers) => {
    const { body } = await write(headers).expect(403);
    expect(body.code).toBe('cross_origin');
  });

  it('requests from another origin can use the session cookie to read, but not to write, whatever the method', async () => {
    const from = { cookie, 'sec-fetch-site': 'cross-site' };
    const url = '/v1/sites/otter/rollback';
    for (const method of ['post', 'put', 'patch', 'delete'] as const)
      await stele.raw[method](url).set(from).expect(403);
    await stele.api.get('/v1/limits').set(from).expect(200);
    await stele.api.head('/v1/limits').set(from).expect(200);
    await stele.api.options('/v1/limits').set(from).expect(204);
  });

  it.each([
    ['/v1/auth/logout', {}, { cookie }],
    ['/v1/auth/start', { email: 'visitor@example.org' }, {}],
  ])(
    '%s sets or clears the session cookie only for the service’s own pages and API clients',
    async (path, fields, carried) => {
      const ask = (headers: Record<string, string>) => stele.raw.post(path).set(headers).send(fields);
      for (const headers of [{}, { origin: own() }, { 'sec-fetch-site': 'same-origin' }])
        expect((await ask({ ...carried, ...headers })).headers['set-cookie']).toHaveLength(1);
      for (const headers of [
        { origin: 'null' },
        { origin: 'http://otter.localhost' },
        { 'sec-fetch-site': 'same-site' },
      ])
        for (const cookies of [{}, carried])
          expect((await ask({ ...cookies, ...headers })).headers).not.toHaveProperty('set-cookie');
    },
  );

  it('responses of a site neither set nor depend on the service’s session cookie', async () => {
    const plain = await stele.visit('otter');
    const carried = await stele.visit('otter').set('cookie', cookie);
    const { date: _then, ...before } = plain.headers;
    const { date: _now, ...after } = carried.headers;
    expect([after, carried.text]).toEqual([before, plain.text]);
    expect(after).not.toHaveProperty('set-cookie');
    expect(after).not.toHaveProperty('vary');
  });
});

describe('Permission to issue a certificate', () => {
  const PATH = '/internal/tls/ask';
  const answered = async (host: string, query: string, headers = '', version = '1.1') => {
    const head = `GET ${PATH}${query} HTTP/${version}\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`;
    return statuses(await sendRawUntilClosed(stele.port, head))[0];
  };

  it.each([
    ['the service', 'localhost'],
    ['a site', 'otter.localhost'],
    ['an uppercase site with a trailing dot', 'Otter.LOCALHOST.'],
  ])('a certificate is permitted for %s, whatever host name the request was sent to', async (_, domain) => {
    for (const host of ['api:3000', '127.0.0.1:3000', 'stele.example.org', 'localhost'])
      expect([host, await answered(host, `?domain=${domain}`)]).toEqual([host, 200]);
  });

  it.each([
    '',
    '?domain=',
    '?domain=stranger.example',
    '?domain=fox.localhost',
    '?domain=a.otter.localhost',
    '?domain=127.0.0.1',
    '?domain=*.localhost',
    '?domain=otter.localhost:443',
    '?domain=otter.localhost&domain=otter.localhost',
    '?domain[]=otter.localhost',
    '?domain=otter.localhost/..',
    '?domain=%00',
    `?domain=${'a.'.repeat(4_000)}localhost`,
    '?name=otter.localhost',
  ])('no certificate is permitted for the query %s', async (query) =>
    expect([400, 404]).toContain(await answered('api:3000', query)),
  );

  it('POST requests and requests that came through a proxy can’t ask whether a certificate is permitted', async () => {
    for (const header of [
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Proto: https',
      'Forwarded: for=x',
      'Via: 1.1 x',
      'X-Real-IP: ::1',
    ])
      expect([header, await answered('localhost', '?domain=otter.localhost', `${header}\r\n`)]).toEqual([header, 404]);
    expect(await answered('localhost', '?domain=otter.localhost', '', '1.0')).toBe(404);
    await stele.raw.post(`${PATH}?domain=otter.localhost`).expect(404);
    expect((await stele.api.get('/openapi.json')).body.paths).not.toHaveProperty(PATH);
  });

  it('a request to a site’s host can’t obtain permission to issue a certificate', async () =>
    expect(await answered('otter.localhost', '?domain=otter.localhost')).toBe(404));
});

it('malformed hosts and requests cause no server errors', () => expect(stele.printed()).not.toContain('ERROR'));

it('a service on localhost logs no warning about domains', () => expect(stele.printed()).not.toContain('Warning'));
