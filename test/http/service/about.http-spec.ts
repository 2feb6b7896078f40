import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalCodes } from '../../../src/kernel/refusals.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const INTERFACE = `
POST PATCH /v1/deploy · POST /v1/claim/start · POST /v1/auth/start · GET /v1/auth/verify · GET /v1/me · POST /v1/repo/check
POST /v1/repo/deploy · GET /v1/jobs/{id} · GET /v1/sites/{slug}/deploys · POST /v1/sites/{slug}/rollback · GET /health
GET /llms.txt · GET /openapi.json · GET /v1/changelog · GET /v1/changelog.md · GET /v1/changelog.rss · POST /v1/claim/session
GET /v1/claim/verify · GET /v1/auth/idp · GET /v1/auth/idp/callback · GET /v1/auth/cli · GET /v1/auth/cli/complete
POST /v1/auth/cli/exchange · POST /v1/auth/logout · POST /v1/waitlist · POST /v1/cli/event · POST /v1/cli/preflight
POST /v1/code/generate · GET /v1/jobs/{id}/events · POST /v1/jobs/{id}/stop · PATCH /v1/sites/{slug}
POST /v1/sites/{slug}/rename · POST /v1/sites/{slug}/access · POST GET DELETE /v1/sites/{slug}/invites
PATCH DELETE /v1/sites/{slug}/members/{id} · GET /v1/invites/accept · GET /v1/me/sites · GET /v1/me/domains
GET /v1/sites/{slug}/files · GET /v1/sites/{slug}/logs · GET POST /v1/sites/{slug}/capabilities · GET /v1/sites/{slug}/secrets
PUT DELETE /v1/sites/{slug}/secrets/{name} · POST /v1/sites/{slug}/rerun · GET POST /v1/sites/{slug}/domains
POST /v1/sites/{slug}/domains/access · POST DELETE /v1/sites/{slug}/domains/{hostname} · POST /v1/sites/{slug}/connector/tokens
GET /v1/connector/poll · POST /v1/connector/result/{id} · POST /v1/sites/{slug}/connector/invoke · GET /s/{slug}/{path}`
  .split(/ · |\n/)
  .filter(Boolean)
  .flatMap((line) => {
    const [path, ...methods] = line.split(' ').reverse();
    return methods.map((method) => [method.toLowerCase(), path!] as const);
  });

describe('The service’s descriptions of itself', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('about');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the service reports that it is healthy and ready', async () => {
    const { body } = await stele.api.get('/health').expect(200);
    const isInKurrent = process.env.STELE_TEST_STORE === 'esdb';
    expect(body).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      eventStore: { engine: isInKurrent ? 'kurrentdb' : 'postgresql' },
      checks: {
        eventStore: 'ok',
        database: 'ok',
        projections: { lag: expect.any(Number), stopped: 0, ...(isInKurrent && { unit: 'bytes' }) },
        blobs: 'ok',
        repositories: expect.stringMatching(/^(ok|unavailable)$/),
        builder: { engine: 'none', reason: expect.stringContaining('STELE_BUILDER') },
        generator: { model: 'none' },
      },
    });
    await stele.api.get('/ready').expect(200, { status: 'ready' });
    await stele.api.get('/health').set('host', 'elsewhere.example').expect(200);
  });

  it('each response ends with a line feed, so that it displays well in a terminal', async () => {
    for (const path of ['/health', '/v1/limits', '/v1/none'])
      expect((await stele.raw.get(path)).text).toMatch(/[^\n]\n$/);
  });

  it('the OpenAPI document lists every path and method, including planned ones', async () => {
    const { body } = await stele.api
      .get('/openapi.json')
      .expect(200)
      .expect('content-type', /application\/json/);
    expect(body.info.version).toBe('1.0.0');
    const described = INTERFACE.filter(([method, path]) => body.paths[path]?.[method]);
    expect(described).toEqual(INTERFACE);
  });

  it('each operation has a unique name, which generated clients use', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const operations = Object.values<Record<string, { operationId?: string }>>(body.paths).flatMap(Object.values);
    const names = operations.flatMap(({ operationId }) => operationId ?? []);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('the OpenAPI document links responses only to operations that exist', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    type Operation = { operationId?: string; responses: Record<string, { links?: Record<string, object> }> };
    const operations = Object.values<Record<string, Operation>>(body.paths).flatMap(Object.values) as Operation[];
    const linked = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ links = {} }) => Object.keys(links)),
    );
    expect(linked.length).toBeGreaterThan(60);
    const names = new Set(operations.map(({ operationId }) => operationId));
    expect(linked.filter((name) => !names.has(name))).toEqual([]);
  });

  it('the OpenAPI document describes the WebSocket messages in an extension', async () => {
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const { get } = body.paths['/v1/live'];
    expect(Object.keys(get.responses)).toEqual(['101', '400', '401', 'default']);
    const ops = get['x-websocket'].client.oneOf.map(({ properties }: { properties: { op: { enum: string[] } } }) =>
      properties.op.enum.join(),
    );
    expect(ops).toEqual(['subscribe', 'unsubscribe', 'auth']);
    expect((await stele.api.get('/v1/live').expect(400)).body.code).toBe('invalid_request');
  });

  it('llms.txt explains to agents how to deploy, with working commands', async () => {
    const { text } = await stele.api.get('/llms.txt').expect(200).expect('content-type', 'text/plain; charset=utf-8');
    const json = /-H 'content-type: application\/json' \\\n {2}-d '([^']+)'/.exec(text)![1]!;
    const { body } = await stele.api.post('/v1/deploy').type('json').send(json).expect(200);
    expect(body.files).toBe(2);
  });

  it('security.txt says where to report vulnerabilities, and is valid for less than a year', async () => {
    const { text } = await stele.api
      .get('/.well-known/security.txt')
      .expect(200)
      .expect('content-type', 'text/plain; charset=utf-8');
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
    expect(field('Contact')).toBe(`http://localhost:${stele.port}/llms.txt`);
    expect(field('Canonical')).toBe(`http://localhost:${stele.port}/.well-known/security.txt`);
    expect(field('Preferred-Languages')).toBe('en');
    const days = (Date.parse(field('Expires')) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  it('each error code has a page that explains it', async () => {
    for (const code of refusalCodes) {
      const { body } = await stele.api.get(`/errors/${code}`).expect(200);
      expect(body).toMatchObject({ code, status: expect.any(Number), title: expect.any(String) });
    }
    await stele.api.get('/errors/nonsense').expect(404);
  });

  it('a missing path returns 404, a wrong method 405 with the allowed methods, and a foreign host 421', async () => {
    expect((await stele.api.get('/nothing/here').expect(404)).body.code).toBe('not_found');
    const wrong = await stele.api.delete('/v1/deploy').expect(405).expect('allow', 'OPTIONS, PATCH, POST');
    expect(wrong.body.code).toBe('method_not_allowed');
    expect((await stele.api.get('/llms.txt').set('host', 'elsewhere.example').expect(421)).body.code).toBe(
      'wrong_host',
    );
    expect((await stele.api.get('/%E0%A4%A').expect(400)).body.code).toBe('invalid_request');
  });

  it('a body of the wrong type returns 415, an oversized body 413, and malformed JSON 400', async () => {
    const post = () => stele.api.post('/v1/sites/x/rollback');
    expect((await post().type('text').send('x').expect(415)).body.code).toBe('unsupported_media_type');
    expect(
      (
        await post()
          .send({ deployId: 'x'.repeat(70_000) })
          .expect(413)
      ).body.code,
    ).toBe('too_large');
    expect((await post().type('json').send('{').expect(400)).body.code).toBe('invalid_request');
    expect((await post().expect(400)).body.code).toBe('invalid_request');
    expect((await post().send({ deployId: 'x', more: 1 }).expect(400)).body.errors).toEqual([
      { path: 'more', message: 'is not a known field' },
    ]);
  });
});
