import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'superagent';
import { sendRawUntilClosed } from '../../support/service/raw-socket.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const ADMIN = 'operator-token-of-tests';

/** Headers that concern isolation. Tests compare all of them, including those that the service should not send. */
const GUARDING = [
  'x-content-type-options',
  'cache-control',
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'origin-agent-cluster',
  'strict-transport-security',
  'service-worker-allowed',
  'set-cookie',
  'clear-site-data',
] as const;
type Headers = Readonly<Record<string, string | undefined>>;
const guarding = (headers: Headers) =>
  Object.fromEntries(GUARDING.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

const CLOSED_API = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};
const API = { ...CLOSED_API, 'access-control-allow-origin': '*' };
/**
 * Headers of our own pages. Scripts may come only from our own folder, because publishers can put scripts below
 * `/s/`.
 */
const pageAt = (port: number, isLive = false) => ({
  ...CLOSED_API,
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'self'; script-src http://localhost:${port}/assets/ http://127.0.0.1:${port}/assets/; ${isLive ? `connect-src http://localhost:${port}/v1/ http://127.0.0.1:${port}/v1/; ` : ''}form-action 'self'`,
  'referrer-policy': 'same-origin',
});
const SITE = { 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' };
const PATH_FORM = {
  ...SITE,
  'content-security-policy':
    'sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads allow-pointer-lock',
};
const HOST_FORM = { ...SITE, 'origin-agent-cluster': '?1' };

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let site: { slug: string; deployId: string; editToken: string };

beforeAll(async () => {
  temporary = await temporaryFolder('headers');
  stele = await sharedStele({ folder: temporary.folder });
  const files = [
    { path: 'index.html', content: 'home' },
    { path: 'docs/index.html', content: 'docs' },
    { path: 'sw.js', content: 'self' },
  ];
  ({ body: site } = await stele.api.post('/v1/deploy').send({ files }).expect(200));
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

const SHARED = { 'cache-control': 'public, max-age=10' };
/** Headers of responses that change only when the service is updated. */
const REVALIDATED = { 'cache-control': 'public, max-age=0, must-revalidate' };

describe('The API', () => {
  it('every route of /openapi.json has the security headers, for every method and status', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const paths = Object.keys(body.paths).filter((path) => !path.startsWith('/s/'));
    expect(paths.length).toBeGreaterThan(50);
    const statuses = new Set<number>();
    // Creates a separate site, because one of the routes deletes it.
    const { body: own } = await stele.api.post('/v1/deploy').type('html').send('<h1>Own</h1>').expect(200);
    for (const path of paths) {
      const url = path
        .replace('{slug}', own.slug)
        .replace('{code}', 'not_found')
        .replace(/\{\w+\}/g, 'x');
      for (const method of ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const) {
        const answer = await headOf(method, url, {
          'x-svc-edit-token': own.editToken,
          origin: 'https://evil.example',
          'sec-fetch-site': 'cross-site',
        });
        statuses.add(answer.status);
        const isShared = path.startsWith('/status') && answer.status === 200;
        const isRevalidated = path === '/openapi.json' && answer.status === 200;
        const isScript = path === '/cli/install.sh' && answer.status === 200;
        const kept = {
          ...(isShared && SHARED),
          ...(isRevalidated && REVALIDATED),
          ...(isScript && { 'cache-control': 'no-cache' }),
        };
        const set = path.startsWith('/dev/') ? CLOSED_API : { ...API, ...kept };
        expect([method, url, guarding(answer.headers)]).toEqual([method, url, set]);
        expect([method, url, answer.headers['x-request-id']]).toEqual([method, url, expect.stringMatching(/^req_/)]);
        expect(answer.headers['content-type'] ?? '').not.toMatch(/html|javascript|ecmascript/);
      }
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405]));
  }, 120_000);

  it.each<[string, () => PromiseLike<Response>, number, object]>([
    ['a path that can’t be decoded', () => stele.raw.get('/%E0%A4%A'), 400, API],
    ['a parameter of any length', () => stele.raw.get(`/v1/sites/${'x'.repeat(5_000)}`), 400, API],
    ['a body that is too large', () => stele.raw.post('/v1/waitlist').send({ email: 'x'.repeat(70_000) }), 413, API],
    ['an unknown host', () => stele.raw.get('/v1/limits').set('host', 'evil.example'), 421, API],
    ['the /s/ path on an unknown host', () => stele.raw.get(`/s/${site.slug}/`).set('host', 'evil.example'), 421, API],
    ['a would-be service worker', () => stele.raw.get('/llms.txt').set('service-worker', 'script'), 403, API],
    [
      'a forged write',
      () => stele.raw.post('/v1/waitlist').set('cookie', 'stele_session=x').set('sec-fetch-site', 'same-site'),
      403,
      API,
    ],
    ['a taken-down site', () => takenDown().then(({ slug }) => stele.raw.get(`/v1/sites/${slug}`)), 451, API],
    ['an expired site', () => expired().then(({ slug }) => stele.raw.get(`/v1/sites/${slug}`)), 410, API],
    ['a route for this machine only', () => stele.raw.get('/metrics'), 200, CLOSED_API],
  ])('security headers are sent for %s', async (_, ask, status, set) => {
    const answer = await ask();
    expect([answer.status, guarding(answer.headers)]).toEqual([status, set]);
  });

  it.each([
    ['bytes that are not HTTP', () => 'nonsense\r\n\r\n', 400],
    ['a header with a NUL', () => `GET / HTTP/1.1\r\nHost: localhost\r\nx: a\0b\r\n\r\n`, 400],
    ['oversized headers', () => `GET / HTTP/1.1\r\nHost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a missing Host', () => `GET / HTTP/1.1\r\nConnection: close\r\n\r\n`, 400],
    [
      'two Host headers',
      () => `GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      400,
    ],
    ['an invalid Host', () => `GET / HTTP/1.1\r\nHost: a@localhost\r\nConnection: close\r\n\r\n`, 400],
    ['a CONNECT request', () => `CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n`, 400],
    [
      'an unknown expectation',
      () => `GET /nothing HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n`,
      404,
    ],
    [
      'a WebSocket request to a path without WebSockets',
      () => `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      404,
    ],
  ])('for %s, security headers are sent and the connection is closed', async (_, request, status) => {
    const { headers, ...answer } = parsed(await sendRawUntilClosed(stele.port, request()));
    expect(answer.status).toBe(status);
    expect(guarding(headers)).toMatchObject(CLOSED_API);
    expect(JSON.parse(answer.body)).toMatchObject({ status, requestId: headers['x-request-id'] });
  });
});

/** Cookie that a page sets if it may look different after sign-in. The cookie stores the URL to return to. */
const returning = (path: string) => ({
  'set-cookie': [`stele_return=${path}; Max-Age=600; HttpOnly; SameSite=Lax; Path=/`],
});

it.each(['/', '/sign-in', '/signed-out', '/sites', '/claim/any', '/terminal/any', '/dev/outbox', '/errors/conflict'])(
  'the page %s has the security headers of the service’s own pages',
  async (path) => {
    const answer = await stele.raw.get(path).set('accept', 'text/html').redirects(0);
    expect(answer.headers['content-type'] ?? 'text/html').toContain('text/html');
    expect(guarding(answer.headers)).toEqual({
      ...pageAt(stele.port),
      ...(path === '/claim/any' && returning(path)),
    });
  },
);

it.each([
  ['of a run', `/runs/run_${'0'.repeat(26)}`, 200, {}],
  ['of a missing run', '/runs/none', 404, {}],
  ['of a missing job', `/jobs/job_${'0'.repeat(26)}`, 404, returning(`/jobs/job_${'0'.repeat(26)}`)],
])('the page %s can also connect to the API', async (_, path, status, more) => {
  const answer = await stele.raw.get(path).set('accept', 'text/html').expect(status);
  expect(answer.headers['content-type']).toContain('text/html');
  expect(guarding(answer.headers)).toEqual({ ...pageAt(stele.port, true), ...more });
});

describe.each([
  ['under the service’s address', 'path', PATH_FORM],
  ['at its own host', 'host', HOST_FORM],
  ['as a preview at its own host', 'preview', HOST_FORM],
  ['as a preview under the service’s address', 'path preview', PATH_FORM],
] as const)('A site %s', (_, form, set) => {
  type Site = { slug: string; deployId: string };
  const at = ({ slug, deployId }: Site, path: string, method: 'get' | 'head' | 'post' | 'options' = 'get') => {
    switch (form) {
      case 'path':
        return stele.raw[method](`/s/${slug}${path}`);
      case 'path preview':
        return stele.raw[method](`/s/${slug}/@${deployId}${path}`);
      case 'host':
        return stele.raw[method](path).set('host', `${slug}.localhost:${stele.port}`);
      case 'preview':
        return stele.raw[method](path).set('host', `dep-${deployId.slice(4)}.localhost:${stele.port}`);
    }
  };
  const none = { slug: 'no-such-site', deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p' };
  const webSocket = { connection: 'Upgrade', upgrade: 'websocket' };

  it.each<[string, () => PromiseLike<Response>, number]>([
    ['a page', () => at(site, '/'), 200],
    ['a script', () => at(site, '/sw.js'), 200],
    ['a HEAD request for a page', () => at(site, '/', 'head'), 200],
    ['a 304 response', async () => at(site, '/').set('if-none-match', (await at(site, '/')).headers.etag ?? ''), 304],
    ['a redirect to a folder', () => at(site, '/docs').redirects(0), 308],
    ['a path that can’t be decoded', () => at(site, '/%E0%A4%A'), 400],
    ['a missing file', () => at(site, '/nothing'), 404],
    ['a path that looks like the API', () => at(site, '/v1/limits'), 404],
    ['a POST request', () => at(site, '/', 'post'), 405],
    ['an OPTIONS request', () => at(site, '/', 'options'), 405],
    ['a WebSocket request', () => at(site, '/v1/live').set(webSocket), 404],
    ['a missing site', () => at(none, '/'), 404],
    ['an expired site', async () => at(await expired(), '/'), 410],
    ['a taken-down site', async () => at(await takenDown(), '/'), 451],
    ['a visitor with the service’s cookie', () => at(site, '/').set('cookie', 'stele_session=x'), 200],
    ['a write with the service’s cookie', () => at(site, '/v1/deploy', 'post').set('cookie', 'stele_session=x'), 405],
  ])('security headers are sent for %s', async (_what, ask, status) => {
    const answer = await ask();
    const { 'cache-control': _cached, ...headers } = guarding(answer.headers);
    expect([answer.status, headers]).toEqual([status, set]);
  });

  it(`the site ${form.startsWith('path') ? 'can’t install a' : 'can install its own'} service worker`, async () => {
    const answer = await at(site, '/sw.js').set('service-worker', 'script');
    expect(answer.status).toBe(form.startsWith('path') ? 403 : 200);
    expect(guarding(answer.headers)).toMatchObject(set);
    expect(answer.headers).not.toHaveProperty('service-worker-allowed');
  });
});

let takenDownSite: Promise<{ slug: string; deployId: string }> | undefined;
const takenDown = () => {
  takenDownSite ??= (async () => {
    const { body } = await stele.api.post('/v1/deploy').type('html').send('down').expect(200);
    await stele.api
      .post(`/v1/admin/sites/${body.slug}/takedown`)
      .set('authorization', `Bearer ${ADMIN}`)
      .send({ reason: 'a test' })
      .expect(200);
    return body;
  })();
  return takenDownSite;
};

let expiredSite: Promise<{ slug: string; deployId: string }> | undefined;
const expired = () => {
  expiredSite ??= (async () => {
    const { body } = await stele.api.post('/v1/deploy?expires=1s').type('html').send('gone').expect(200);
    while ((await stele.raw.get(`/v1/sites/${body.slug}`)).status !== 410)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return body;
  })();
  return expiredSite;
};

/** Returns only the status and headers, because some bodies are endless streams. */
function headOf(method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Headers }>((resolve, reject) => {
    const asked = request(`${stele.base}${path}`, { method: method.toUpperCase(), headers }, (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers as Headers });
      response.destroy();
    });
    asked.on('error', reject);
    asked.end();
  });
}

function parsed(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
  );
  const chunk = /^[0-9a-f]+\r\n([\s\S]*)\r\n0$/.exec(body)?.[1];
  return { status: Number(line.split(' ')[1]), headers, body: chunk ?? body };
}
