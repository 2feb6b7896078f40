import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeBeforeReading } from '../../support/faults/write-before-read.js';
import { sendRaw } from '../../support/service/raw-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let slug: string;
let editToken: string;

beforeAll(async () => {
  temporary = await temporaryFolder('edge');
  stele = await sharedStele({ folder: temporary.folder });
  const { body } = await stele.api.post('/v1/deploy').type('html').send('<h1>Here</h1>').expect(200);
  ({ slug, editToken } = body);
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

const EXPOSED =
  'etag, stele-position, stele-revision, retry-after, ratelimit, x-request-id, idempotency-replayed, www-authenticate, stele-cli-version, upload-offset, upload-complete, upload-length';
const preflight = (path: string, method: string) =>
  stele.raw.options(path).set('origin', 'https://app.example').set('access-control-request-method', method);

describe('Requests from a page of another origin', () => {
  it('pages of other origins can read every response without credentials, whatever its status', async () => {
    const answers = await Promise.all([
      stele.api.get('/health'),
      stele.api.get('/v1/limits'),
      stele.api.get('/v1/sites/nowhere'),
      stele.api.get('/nothing/here'),
      stele.api.delete('/v1/deploy'),
      stele.api.post('/v1/deploy').type('text').send('x'),
      stele.api.get('/%E0%A4%A'),
      stele.api.get('/health').set('origin', 'https://app.example'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 405, 415, 400, 200]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it.each([
    ['/v1/deploy', 'PATCH', 'OPTIONS, PATCH, POST'],
    ['/v1/sites/any/rollback', 'POST', 'OPTIONS, POST'],
    ['/v1/limits', 'GET', 'GET, HEAD, OPTIONS'],
    ['/v1/limits', 'DELETE', 'GET, HEAD, OPTIONS'],
  ])('a CORS preflight for %s (%s) lists the methods of the path', async (path, method, methods) => {
    const { headers } = await preflight(path, method).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      'access-control-allow-headers':
        'authorization, content-type, x-svc-edit-token, x-svc-upload-token, upload-offset, upload-complete, upload-length, idempotency-key, if-match, last-event-id, stele-position, stele-client, mcp-protocol-version, mcp-method, mcp-name',
      'access-control-max-age': '7200',
    });
  });

  it('a CORS preflight for a missing path returns 404', async () => {
    const { headers } = await preflight('/nothing/here', 'GET').expect(404);
    expect(headers).not.toHaveProperty('access-control-allow-methods');
  });

  it.each(['/metrics', '/%6detrics', '/dev/outbox.json', '/internal/tls/ask'])(
    '%s is available only on this machine, and reveals nothing to other origins',
    async (path) => {
      expect((await stele.raw.get(path).set('origin', 'https://app.example')).headers).not.toHaveProperty(
        'access-control-allow-origin',
        '*',
      );
      const { headers } = await preflight(path, 'GET').expect(404);
      expect(headers).not.toHaveProperty('access-control-allow-methods');
    },
  );
});

describe('OPTIONS', () => {
  it('OPTIONS lists the methods that /openapi.json describes, on every path', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const described = Object.entries(body.paths as Record<string, Record<string, { 'x-status'?: string }>>)
      // Skips files of a site, which accept only GET and HEAD, and the outbox, which exists only for requests from this
      // machine.
      .filter(([path]) => !path.startsWith('/s/') && path !== '/dev/outbox.json')
      .map(([path, operations]) => {
        const built = Object.entries(operations).filter(([, operation]) => operation['x-status'] !== 'planned');
        return [path, built.map(([method]) => method.toUpperCase())] as const;
      })
      .filter(([, methods]) => methods.length > 0);
    expect(described.length).toBeGreaterThan(40);
    for (const [path, methods] of described) {
      const { status, headers } = await stele.raw.options(path.replaceAll(/\{\w+\}/g, 'x'));
      const implied = ['OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])];
      expect([path, status, headers.allow]).toEqual([
        path,
        204,
        [...new Set([...methods, ...implied])].sort().join(', '),
      ]);
    }
  });

  it('OPTIONS and 405 responses list the same methods, and a missing path returns 404 for every method', async () => {
    const send = (method: string, path: string, host = `localhost:${stele.port}`) =>
      sendRaw(stele.port, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const refused = (allow: string) => ({ status: 405, text: expect.stringContaining(`allow: ${allow}\r\n`) });
    const strange = METHODS.filter(
      (method) => !['CONNECT', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST'].includes(method),
    );
    expect(strange).toContain('QUERY');
    for (const method of strange) {
      expect(await send(method, '/v1/deploy')).toMatchObject(refused('OPTIONS, PATCH, POST'));
      expect(await send(method, '/v1/nothing')).toMatchObject({ status: 404 });
      for (const [path, host] of [['/s/any/'], ['/', `any.localhost:${stele.port}`]] as const)
        expect(await send(method, path, host)).toMatchObject(refused('GET, HEAD'));
    }
  });

  it('OPTIONS lists the methods of the requested path', async () => {
    await stele.api.options('/v1/deploy').expect(204).expect('allow', 'OPTIONS, PATCH, POST');
    await stele.api
      .options(`/v1/sites/${slug}`)
      .expect(204)
      .expect('allow', /GET, HEAD, OPTIONS/);
    await stele.api.options('/health').expect(204).expect('allow', 'GET, HEAD, OPTIONS');
  });

  it('OPTIONS without the preflight headers is not a preflight', async () => {
    const { headers } = await stele.api.options('/v1/deploy');
    expect(headers).not.toHaveProperty('access-control-allow-methods');
  });

  it('OPTIONS * succeeds; a missing path returns 404, and a foreign host 421', async () => {
    const { status } = await sendRaw(stele.port, `OPTIONS * HTTP/1.1\r\nHost: localhost:${stele.port}\r\n\r\n`);
    expect(status).toBe(204);
    expect((await stele.api.options('/nothing/here').expect(404)).body.code).toBe('not_found');
    await stele.api.options('/v1/deploy').set('host', 'elsewhere.example').expect(421);
  });
});

describe('HEAD', () => {
  it('HEAD works wherever GET does, has the same headers and no body, and adds nothing to the history', async () => {
    const { body: document } = await stele.api.get('/openapi.json').expect(200);
    const { body: files } = await stele.api.get(`/v1/sites/${slug}/files`).set('x-svc-edit-token', editToken);
    const paths = Object.entries<Record<string, { 'x-status'?: string }>>(document.paths)
      .filter(([path, { get }]) => get && get['x-status'] !== 'planned' && !path.startsWith('/s/'))
      .filter(([path]) => !path.startsWith('/v1/jobs/'))
      // HEAD on routes that need a session or token is tested elsewhere.
      .filter(([path]) => !/^\/v1\/(me|auth|claim|invites)(\/|$)/.test(path))
      // /v1/live responds only to a WebSocket handshake.
      .filter(([path]) => path !== '/v1/live')
      .filter(([path]) => !path.startsWith('/v1/admin/'))
      // Skips routes for owners and agents. connector/refusals.http-spec.ts checks that a HEAD request receives no
      // work.
      .filter(([path]) => !/\/(invites|tokens|publishers)$/.test(path) && !path.includes('/connector/'))
      // This site has no linked repository.
      .filter(([path]) => !path.endsWith('/repository'))
      .map(([path]) =>
        path
          .replace('{slug}', slug)
          .replace('{code}', 'not_found')
          .replace('{runId}', `run_${'0'.repeat(26)}`),
      )
      // Leaves out paths with other parameters, such as job IDs, for which this test has no values.
      .filter((path) => !path.includes('{'))
      .map((path) => (path.endsWith('/diff') ? `${path}?from=${files.deployId}&to=${files.deployId}` : path));
    expect(paths.length).toBeGreaterThan(10);

    const counted = { name: 'analytics', enabled: true };
    await stele.api.post(`/v1/sites/${slug}/capabilities`).set('x-svc-edit-token', editToken).send(counted).expect(200);
    const before = await stele.api.get(`/v1/sites/${slug}/history`).set('x-svc-edit-token', editToken);
    for (const path of paths) {
      const ask = (method: 'get' | 'head') => {
        // Sets `accept-encoding` for both methods, because by default the HTTP client requests compression only for
        // GET.
        const headers = { 'x-svc-edit-token': editToken, 'accept-encoding': 'gzip' };
        const asked = stele.raw[method](path).set(headers).buffer(true);
        // A stream without `accept: application/json` is endless.
        return path.endsWith('/events') ? asked.accept('application/json') : asked;
      };
      let got = await ask('get');
      let head = await ask('head');
      // Repeats requests whose responses differ, because the data may have changed between them. The status changes
      // every minute, and work left over from earlier tests changes positions.
      const isSame = () => JSON.stringify(lasting(head.headers)) === JSON.stringify(lasting(got.headers));
      for (let tries = 0; tries < 3 && !isSame(); tries++) {
        got = await ask('get');
        head = await ask('head');
      }
      const status = path === '/cli/stele.tgz' ? 302 : 200;
      expect([path, head.status, head.text ?? '']).toEqual([path, status, '']);
      expect([path, lasting(head.headers)]).toEqual([path, lasting(got.headers)]);
    }
    const after = await stele.api.get(`/v1/sites/${slug}/history`).set('x-svc-edit-token', editToken);
    expect(after.body.total).toBe(before.body.total);
  }, 120_000);

  it('HEAD for a missing path returns 404 without a body', async () => {
    expect((await stele.api.head('/nothing/here').expect(404)).text ?? '').toBe('');
    expect((await stele.api.head('/v1/deploy').expect(405)).headers.allow).toBe('OPTIONS, PATCH, POST');
  });
});

/** Returns the headers without those that differ each time or describe the transfer. */
function lasting(headers: Record<string, string>) {
  const { date, connection, 'keep-alive': _keep, 'x-request-id': _id, 'transfer-encoding': _sent, ...rest } = headers;
  return rest;
}

describe('Malformed input', () => {
  const own = () => `Host: 127.0.0.1:${stele.port}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const hostile: readonly [string, (host: string) => string][] = [
    ['10,000 header lines', (host) => `GET /health HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(10_000)}\r\n`],
    ['a header of 100 KB', (host) => `GET /health HTTP/1.1\r\n${host}x: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a path of 100 KB', (host) => `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`],
    ['a NUL in a header', (host) => `GET /health HTTP/1.1\r\n${host}x: a\0b\r\n\r\n`],
    ['a NUL in the host', () => `GET /health HTTP/1.1\r\nHost: local\0host\r\n\r\n`],
    ['a NUL in the path', (host) => `GET /v1/sites/a\0b HTTP/1.1\r\n${host}\r\n`],
    ['an encoded NUL in a name', (host) => `GET /v1/sites/a%00b HTTP/1.1\r\n${host}\r\n`],
    ['an encoded NUL in the query', (host) => `GET /v1/sites/a/files?a=?&deployId=%00 HTTP/1.1\r\n${host}\r\n`],
    ['two Host headers', (host) => `GET /health HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`],
    ['the same Host twice', (host) => `GET /health HTTP/1.1\r\n${host}${host}\r\n`],
    ['another host in the request target', (host) => `GET http://evil.example/health HTTP/1.1\r\n${host}\r\n`],
    ['HTTP/1.0 without a host', () => `GET /v1/limits HTTP/1.0\r\n\r\n`],
    ['HTTP/1.1 without a host', () => `GET /v1/limits HTTP/1.1\r\n\r\n`],
    ['an empty host', () => `GET /v1/limits HTTP/1.1\r\nHost:\r\n\r\n`],
    ['a CONNECT request', (host) => `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`],
    [
      'both a length and chunks',
      (host) =>
        `POST /v1/waitlist HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
    [
      'two lengths',
      (host) => `POST /v1/waitlist HTTP/1.1\r\n${host}${json}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
    ],
    ['an unknown coding', (host) => `POST /v1/waitlist HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n`],
    [
      'a chunk without a size',
      (host) => `POST /v1/waitlist HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ['a folded header', (host) => `GET /health HTTP/1.1\r\n${host}x: a\r\n b\r\n\r\n`],
    ['a folded host', () => `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n :1\r\n\r\n`],
    ['a space before the colon', (host) => `GET /health HTTP/1.1\r\n${host}x : a\r\n\r\n`],
    ['a lone carriage return', (host) => `GET /health HTTP/1.1\r\n${host}x: a\rb\r\n\r\n`],
    ['lines without carriage returns', (host) => `GET /health HTTP/1.1\n${host.replace('\r', '')}\n`],
    ['TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', (host) => `GET /health HTTP/9.9\r\n${host}\r\n`],
    ['an unknown method', (host) => `BREW /health HTTP/1.1\r\n${host}\r\n`],
    ['TRACE', (host) => `TRACE /health HTTP/1.1\r\n${host}\r\n`],
    ['a path that leads out of the root', (host) => `GET /../../etc/passwd HTTP/1.1\r\n${host}\r\n`],
    ['a path with two slashes', (host) => `GET //evil.example/ HTTP/1.1\r\n${host}\r\n`],
    [
      'an unknown expectation',
      (host) => `POST /v1/waitlist HTTP/1.1\r\n${host}Expect: x\r\nContent-Length: 2\r\n\r\n{}`,
    ],
  ];

  it.each(hostile)('the API refuses %s or closes the connection', async (_what, request) => {
    const { status, text } = await sendRaw(stele.port, request(own()));
    expect(refused(status)).toBe(true);
    if (status !== null && !text.includes('417') && !text.includes('chunked')) expect(text).toContain('problem+json');
    await stele.api.get('/health').expect(200);
  });

  it.each(hostile)('a site refuses %s or closes the connection', async (_what, request) => {
    const { status } = await sendRaw(stele.port, request(`Host: ${slug}.localhost:${stele.port}\r\n`));
    expect(refused(status)).toBe(true);
    await stele.visit(slug).expect(200);
  });

  it.each(['', ':80'])('an empty host (%j) is treated as missing', async (host) => {
    expect((await sendRaw(stele.port, `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(400);
  });

  it('malformed requests are not logged as server errors', () => {
    expect(stele.printed()).not.toContain('ERROR');
  });

  const refused = (status: number | null) => status === null || (status >= 400 && status < 500);
});

describe('A response sent before the request has ended', () => {
  const BYTES = 60_000_000;
  const kinds: [what: string, status: number, head: string[]][] = [
    ['a page that is too large', 413, ['POST /v1/deploy HTTP/1.1', 'content-type: text/html']],
    ['a form without parts', 400, ['POST /v1/deploy HTTP/1.1', 'content-type: multipart/form-data; boundary=y']],
    ['JSON that is too large', 413, ['POST /v1/deploy HTTP/1.1', 'content-type: application/json']],
    ['an invalid archive', 400, ['POST /v1/deploy HTTP/1.1', 'content-type: application/gzip']],
    ['a body of an unknown type', 415, ['POST /v1/deploy HTTP/1.1', 'content-type: image/png']],
    [
      'a JSON body that is too large for its route',
      413,
      ['POST /v1/waitlist HTTP/1.1', 'content-type: application/json'],
    ],
    ['a body for a missing path', 404, ['POST /v1/nothing HTTP/1.1', 'content-type: text/html']],
  ];

  /**
   * Returns the status of the response, or null if there is none. The service stops reading a refused body after five
   * seconds. A slow client that is still sending may lose the response, so it sends the request again.
   */
  async function statusOf(head: readonly string[]): Promise<number | null> {
    for (let tries = 1; ; tries++) {
      const began = performance.now();
      const status = await writeBeforeReading(stele.port, head, BYTES);
      if (status !== null || performance.now() - began < 5_000 || tries === 5) return status;
    }
  }

  it.each(kinds)(
    'an early response reaches a client that sends its whole request before it reads: %s',
    async (what, status, head) => {
      const times = what === kinds[0]?.[0] ? 20 : 4;
      for (const connection of ['keep-alive', 'close'])
        for (let time = 0; time < times; time++)
          expect(await statusOf([...head, `connection: ${connection}`])).toBe(status);
    },
    240_000,
  );

  it('a site’s early response reaches a client that sends its whole request before it reads', async () => {
    const head = [`POST /s/${slug}/ HTTP/1.1`, 'connection: close'];
    for (let time = 0; time < 4; time++) expect(await statusOf(head)).toBe(405);
  }, 120_000);

  it('the connection is closed five seconds after the response if the request never ends', async () => {
    const socket = connect(stele.port, '127.0.0.1');
    socket.write(`POST /v1/deploy HTTP/1.1\r\nhost: localhost:${stele.port}\r\ncontent-type: image/png\r\n`);
    socket.write('content-length: 1000000\r\n\r\nx');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 415 /);
    socket.on('error', () => undefined);
    await once(socket, 'close');
  }, 180_000);
});
