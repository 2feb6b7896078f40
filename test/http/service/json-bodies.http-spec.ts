import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf, type ConnectorSite, connectorSite, type TestAgent } from '../../support/connector/connector-site.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Operation = { readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> } };

/** JSON routes that /openapi.json does not describe. Bodies of /mcp are tested in `test/http/agents/hostile.http-spec.ts`. */
const UNDESCRIBED = [
  { method: 'post', path: '/oauth/register' },
  { method: 'post', path: '/.stele/invoke' },
];

/** Routes that read their body entry by entry, never as a whole. */
const READ_BY_ENTRY = new Set([
  'POST /v1/deploy',
  'PATCH /v1/deploy',
  'PUT /v1/deploy/prepared',
  'POST /v1/cli/preflight',
]);

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let site: ConnectorSite;
let agent: TestAgent;

beforeAll(async () => {
  temporary = await temporaryFolder('json-bodies');
  stele = await sharedStele({ folder: temporary.folder });
  site = await connectorSite(stele);
  agent = await agentOf(stele, site);
}, 180_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});

const membersOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1])));

describe('JSON bodies', () => {
  it('a JSON body with too many members is refused on every route', async () => {
    const { body: document } = await stele.api.get('/openapi.json').expect(200);
    const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody?.content?.['application/json'])
        .map(([method]) => ({ method, path })),
    );
    expect(operations.length).toBeGreaterThan(30);
    // The routes of the connector refuse other callers before they read the body.
    const headersOf: Record<string, Record<string, string>> = {
      'POST /v1/sites/{slug}/connector/invoke': site.owner,
      'POST /v1/connector/result/{id}': agent.bearer,
      'POST /.stele/invoke': { host: new URL(site.origin).host },
    };
    for (const { method, path } of [...operations, ...UNDESCRIBED]) {
      const name = `${method.toUpperCase()} ${path}`;
      if (READ_BY_ENTRY.has(name)) continue;
      // The connector allows 15,000 values. The test sends fewer to other routes, because some of them accept only 16 KiB.
      const count = name in headersOf ? 16_000 : 7_000;
      const { status, body } = await stele.raw[method as 'post'](
        path.replace('{slug}', site.slug).replaceAll(/\{\w+\}/g, 'x'),
      )
        .set(headersOf[name] ?? {})
        .type('json')
        .send(`{"a":[${'1,'.repeat(count)}1]}`);
      const [error] = body.errors ?? [];
      expect([name, status, error]).toEqual([
        name,
        400,
        { path: '', message: expect.stringMatching(/^must not contain more than [\d,]+ fields and items$/) },
      ]);
    }
  });

  it('a template request within the size limit is refused if it has too many members', async () => {
    const body = `{"template":"link-page","parameters":${membersOf(37_000)}}`;
    const { body: problem } = await stele.api.post('/v1/code/generate').type('json').send(body).expect(400);
    expect(problem.errors).toEqual([{ path: '', message: 'must not contain more than 5,000 fields and items' }]);
  });
});

describe('The OpenAPI document over HTTP', () => {
  it('the OpenAPI document can be compressed, and returns 304 if the client already has it', async () => {
    const plain = await stele.raw.get('/openapi.json').set('accept-encoding', 'identity').expect(200);
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding', 'content-type': 'application/json; charset=utf-8' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const etag = String(plain.headers.etag);
    for (const coding of ['gzip', 'br']) {
      const { headers, body } = await stele.raw.get('/openapi.json').set('accept-encoding', coding).expect(200);
      expect(headers).toMatchObject({ etag, vary: 'accept-encoding', 'content-encoding': coding });
      expect(Number(headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 5);
      expect(body).toEqual(plain.body);
    }
    const known = await stele.raw.get('/openapi.json').set('if-none-match', `"a", ${etag}`).expect(304);
    expect(known.headers).toMatchObject({ etag, vary: 'accept-encoding' });
    expect(known.text).toBe('');
  });
});
