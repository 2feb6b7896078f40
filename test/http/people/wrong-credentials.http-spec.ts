import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentProgram, browserOfPerson } from '../../support/people/agent-program.js';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { type SentHeaders, wrongCredentials } from '../../support/people/wrong-credentials.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';

const html = { 'content-type': 'text/html' };

/** Routes that /openapi.json does not describe, and paths without a route. */
const UNDESCRIBED = ['GET /metrics', 'GET /dev/outbox', 'GET /nothing/here', 'POST /v1/nothing'];

/** Valid bodies, so that only the credential is wrong. */
const bodies: Record<string, object> = {
  '/v1/repo/deploy': { url: 'https://example.org/a.git' },
  '/v1/repo/check': { url: 'https://example.org/a.git' },
};

type Answer = { readonly status: number; readonly code: string; readonly detail: string; readonly scheme: string };

describe('Invalid credentials', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let slug: string;
  let editToken: string;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let wrong: Record<string, SentHeaders>;
  let routes: string[];

  const deploy = async () => (await stele.api.post('/v1/deploy').set(html).send('<h1>a</h1>').expect(200)).body;
  const positionOf = async () => (await stele.log()).length;

  const send = (method: string, path: string, headers: SentHeaders, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const type = body.startsWith('{') ? 'application/json' : 'text/html';
      const sent = request(
        { port: stele.port, path, method, agent, headers: { ...(body && { 'content-type': type }), ...headers } },
        (answer) => {
          const scheme = String(answer.headers['www-authenticate']);
          const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') && method !== 'HEAD';
          const read = isProblem ? (json(answer) as Promise<{ code: string; detail: string }>) : answer.resume();
          answer.once('end', async () => {
            const { code, detail } = isProblem ? await (read as Promise<Answer>) : { code: '', detail: '' };
            resolve({ status: answer.statusCode ?? 0, code, detail, scheme });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });

  /** Returns a valid access token, and several that are no longer valid. */
  const deadTokens = async () => {
    const make = async (path: string, bearer: { readonly authorization: string }) =>
      (await stele.api.post(path).set(bearer).send({ name: 'CI', role: 'editor' }).expect(201)).body;
    /**
     * Creates a token that soon expires. Retries with a later expiry if that time has already passed when the request
     * arrives.
     */
    const shortLived = async () => {
      for (let lifeMs = 1_000; ; lifeMs *= 2) {
        const expiresAt = new Date(Date.now() + lifeMs).toISOString();
        const asked = { name: 'CI', role: 'editor', expiresAt };
        const { status, body } = await stele.api.post('/v1/me/tokens').set(ann.bearer).send(asked);
        if (status === 201) return body;
        expect(body.errors).toEqual([{ path: 'expiresAt', message: 'must be in the future' }]);
      }
    };
    const good = await make('/v1/me/tokens', ann.bearer);
    const ended = await make('/v1/me/tokens', ann.bearer);
    await stele.api.delete(`/v1/me/tokens/${ended.id}`).set(ann.bearer).expect(204);
    const over = await shortLived();
    const { body: site } = await stele.api
      .post('/v1/deploy')
      .set({ ...html, ...ann.bearer })
      .send('<p>')
      .expect(200);
    const { body: invite } = await stele.api
      .post(`/v1/sites/${site.slug}/invites`)
      .set(ann.bearer)
      .send({ email: 'carl@example.org', role: 'owner' })
      .expect(201);
    expect(invite.role).toBe('owner');
    const { path } = await newestMail(stele, 'carl@example.org');
    const { body: joined } = await stele.api.get(path).expect(200);
    const carl = { authorization: `Bearer ${joined.token}` };
    const removed = await make(`/v1/sites/${site.slug}/tokens`, carl);
    const { body: members } = await stele.api.get(`/v1/sites/${site.slug}/members`).set(ann.bearer).expect(200);
    const { id } = members.items.find(({ email }: { email: string }) => email === 'carl@example.org');
    await stele.api.delete(`/v1/sites/${site.slug}/members/${id}`).set(ann.bearer).expect(204);
    const status = async ({ token }: { token: string }) =>
      (await send('GET', '/v1/limits', { authorization: `Bearer ${token}` })).status;
    while ((await status(over)) !== 401);
    return {
      accessToken: good.token as string,
      endedAccessToken: ended.token as string,
      overAccessToken: over.token as string,
      removedAccessToken: removed.token as string,
    };
  };

  beforeAll(async () => {
    temporary = await temporaryFolder('wrong-credentials');
    stele = await startStele({ folder: temporary.folder, env: { STELE_ADMIN_TOKEN: 'the-operator-itself' } });
    ({ slug, editToken } = await deploy());
    ann = await signIn(stele, 'ann@example.org');
    const ended = await signIn(stele, 'ann@example.org');
    await stele.api.post('/v1/auth/logout').set(ended.bearer).expect(204);
    await stele.api.post('/v1/auth/start').send({ email: 'bob@example.org' }).expect(200);
    const { path } = await newestMail(stele, 'bob@example.org');
    const program = await AgentProgram.registered(stele);
    const { browser } = await browserOfPerson(stele, 'ann@example.org');
    const { access_token: agentToken } = await program.letIn(browser, { scope: 'read publish manage' });
    const tokens = await deadTokens();
    wrong = wrongCredentials({
      ...tokens,
      agentToken,
      session: ann.token,
      endedSession: ended.token,
      editToken,
      linkToken: new URL(path, stele.base).searchParams.get('token') ?? '',
      sessionCookie: `stele_session=${ann.token}`,
    });
    const { body } = await stele.api.get('/openapi.json').expect(200);
    const described = Object.entries(body.paths as Record<string, Record<string, { 'x-status'?: string }>>).flatMap(
      ([path, operations]) =>
        Object.entries(operations)
          // Paths below /s/ ignore this header, because it may be meant for the page.
          .filter(([, operation]) => operation['x-status'] !== 'planned' && !path.startsWith('/s/'))
          .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    routes = [...described, ...UNDESCRIBED].map((route) =>
      route.replaceAll('{slug}', slug).replaceAll(/\{(\w+)\}/g, 'x'),
    );
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await stele?.stop();
    await temporary.remove();
  });

  it('an invalid credential returns 401 on every route, says what is wrong, and changes nothing', async () => {
    expect(Object.keys(wrong).length).toBeGreaterThanOrEqual(25);
    expect(routes.length).toBeGreaterThan(60);
    const before = await positionOf();
    const letThrough: string[] = [];
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const query = path === '/v1/deploy' && method === 'PATCH' ? `?slug=${slug}` : '';
      const body = ['GET', 'HEAD', 'DELETE'].includes(method)
        ? ''
        : JSON.stringify(bodies[path] ?? { files: [{ path: 'index.html', content: 'x' }] });
      const answers = await Promise.all(
        Object.entries(wrong).map(
          async ([what, headers]) => [what, await send(method, path + query, headers, body)] as const,
        ),
      );
      for (const [what, { status, code, detail, scheme }] of answers) {
        const isRefused = status === 401 && scheme === 'Bearer' && (method === 'HEAD' || code === 'unauthenticated');
        if (!isRefused) letThrough.push(`${route} with ${what}: ${status} ${code}`);
        for (const secret of [ann.token, editToken]) expect(detail).not.toContain(secret);
      }
    }
    expect(letThrough).toEqual([]);
    expect(await positionOf()).toBe(before);
  }, 240_000);

  it('the error for an invalid credential explains what is wrong and what to do', async () => {
    const said = async (headers: SentHeaders) => (await send('GET', '/v1/limits', headers)).detail;
    expect(await said({ authorization: '' })).toContain('Check that the variable with your token is set');
    expect(await said({ authorization: 'Bearer ' })).toContain('no token after “Bearer”');
    expect(await said({ authorization: 'Basic YTpi' })).toContain('must be “Bearer”, a space and a token');
    expect(await said({ authorization: `Bearer ${editToken}` })).toContain('Send it in the header x-svc-edit-token');
    expect(await said({ authorization: `Bearer "${ann.token}"` })).toContain('in quotes');
    expect(await said({ authorization: `Bearer ${ann.token.slice(0, -1)}` })).toContain('truncated or altered');
    expect(await said({ 'x-svc-edit-token': ann.token })).toContain('Send it as Authorization: Bearer');
    expect(await said({ 'x-svc-edit-token': '' })).toContain('x-svc-edit-token is empty');
    expect(await said({ authorization: ['Bearer a', 'Bearer b'] })).toContain('Send only one');
  });

  it('an invalid edit token returns 401 even if the request would create a new site', async () => {
    const before = await positionOf();
    const strange = { 'x-svc-edit-token': editToken };
    const repository = '{"url":"https://example.org/a.git"}';
    const files = { files: [{ path: 'index.html', size: 1, sha256: '0'.repeat(64) }] };
    for (const credential of [strange, { ...strange, ...ann.bearer }]) {
      expect(await send('POST', '/v1/deploy', credential, '<p>')).toMatchObject({ status: 401 });
      expect(await send('POST', '/v1/deploy?slug=free-name', credential, '<p>')).toMatchObject({ status: 401 });
      expect(await send('POST', '/v1/cli/preflight', credential, JSON.stringify(files))).toMatchObject({ status: 401 });
      const named = JSON.stringify({ ...files, slug: 'free-name' });
      expect(await send('POST', '/v1/cli/preflight', credential, named)).toMatchObject({ status: 401 });
    }
    expect(await send('POST', '/v1/repo/deploy', strange, repository)).toMatchObject({ status: 401 });
    expect(await positionOf()).toBe(before);
  });

  it('a valid edit token of another site returns 403, or 404 if the requested site does not exist', async () => {
    const other = await deploy();
    const strange = { 'x-svc-edit-token': other.editToken };
    const code = (method: string, path: string) => send(method, path, strange, method === 'GET' ? '' : '<p>');
    expect(await code('PATCH', `/v1/deploy?slug=${slug}`)).toMatchObject({ status: 403, code: 'edit_token_invalid' });
    expect(await code('GET', `/v1/sites/${slug}/deploys`)).toMatchObject({ status: 403, code: 'edit_token_invalid' });
    expect(await code('PATCH', '/v1/deploy?slug=free-name')).toMatchObject({ status: 404 });
    expect(await code('POST', `/v1/deploy?slug=${slug}`)).toMatchObject({ status: 409, code: 'slug_taken' });
  });

  it('credentials are ignored on sites’ own hosts, and an expired cookie is ignored everywhere', async () => {
    const visited = { host: `${slug}.localhost:${stele.port}`, authorization: 'Basic YTpi' };
    expect(await send('GET', '/', visited)).toMatchObject({ status: 200 });
    expect(await send('GET', `/s/${slug}/`, { authorization: '' })).toMatchObject({ status: 200 });
    const dead = { cookie: `stele_session=stele_session_${'7'.repeat(49)}` };
    expect(await send('GET', '/v1/limits', dead)).toMatchObject({ status: 200 });
    expect(await send('GET', '/v1/me', ann.bearer)).toMatchObject({ status: 200 });
    expect(await send('GET', '/v1/me', { authorization: `bearer  ${ann.token}` })).toMatchObject({ status: 200 });
  });

  it('over a WebSocket, an invalid token causes an error for each requested stream', async () => {
    for (const token of ['undefined', `"${ann.token}"`, ann.token.slice(0, -1), `stele_session_${'7'.repeat(49)}`]) {
      const client = new WebSocketClient(`${stele.base}/v1/live`)
        .say({ op: 'auth', token })
        .say({ op: 'subscribe', stream: `site:${slug}` });
      const [message] = await client.until(({ event }) => event === 'problem');
      expect(message).toMatchObject({ stream: `site:${slug}`, data: { status: 401, code: 'unauthenticated' } });
      client.close();
    }
  });

  it('the operator’s token is refused on routes that are not for operators', async () => {
    const operator = { authorization: 'Bearer the-operator-itself' };
    expect(await send('POST', '/v1/deploy', operator, '<p>')).toMatchObject({ status: 401 });
    expect(await send('GET', '/metrics', operator)).toMatchObject({ status: 200 });
  });
});
