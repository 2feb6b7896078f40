import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  agentOf,
  type ConnectorSite,
  connectorSite,
  invoke,
  type TestAgent,
} from '../../support/connector/connector-site.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const KIB_256 = 262_144;

describe('Connector refusals', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: ConnectorSite;
  let agent: TestAgent;
  beforeAll(async () => {
    temporary = await temporaryFolder('connector-refusals');
    stele = await sharedStele({ folder: temporary.folder });
    site = await connectorSite(stele);
    agent = await agentOf(stele, site);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const path = (of = site) => `/v1/sites/${of.slug}/connector/invoke`;
  const work = async (input: unknown = 'x') => {
    await invoke(stele, site, { input, wait: 0 }).expect(202);
    return (await agent.poll().expect(200)).body as { id: string; attempt: number };
  };
  /** Finishes all waiting work. Otherwise, work whose lease has expired would be delivered to a later test. */
  const finishAll = async () => {
    for (let polled = await agent.poll(); polled.status === 200; polled = await agent.poll())
      await agent.answer(polled.body.id, { output: null }).expect(200);
  };

  describe('calls', () => {
    const from = (headers: Record<string, string>, of = site) =>
      stele.api.post(path(of)).set(headers).send({ input: 1, wait: 0 });

    it.each([
      ['another site', () => `http://other.localhost:${stele.port}`],
      ['the service itself', () => `http://localhost:${stele.port}`],
      ['an opaque origin', () => 'null'],
      ['another scheme', () => site.origin.replace('http:', 'https:')],
      ['another port', () => `http://${site.slug}.localhost:1`],
      ['the site’s name with a trailing dot', () => site.origin.replace('.localhost', '.localhost.')],
      ['a name that ends in the site’s name', () => `http://evil-${site.slug}.localhost:${stele.port}`],
      ['an origin with a path', () => `${site.origin}/`],
      ['an origin with a user name', () => site.origin.replace('//', '//me@')],
      ['an invalid origin', () => 'anything'],
    ])('a call from another origin is refused: %s', async (_, origin) => {
      const { body } = await from({ origin: origin() }).expect(403);
      expect(body.code).toBe('cross_origin');
    });

    it('clients without a role on the site are refused; clients with a role are accepted from any origin', async () => {
      expect((await from({}).expect(401)).body.code).toBe('unauthenticated');
      const { bearer } = await signIn(stele, 'stranger@refusals.example.org');
      expect((await from(bearer).expect(403)).body.code).toBe('forbidden');
      expect((await from({ 'x-svc-edit-token': `stele_edit_${'x'.repeat(49)}` }).expect(403)).body.code).toBe(
        'edit_token_invalid',
      );
      await from(site.owner).expect(202);
      await from({ ...site.owner, origin: 'https://elsewhere.example' }).expect(202);
      await finishAll();
    });

    it('pages of the site’s own deploys can call its agents; pages of other sites can’t', async () => {
      const preview = (deployId: string) => `http://dep-${deployId.slice(4)}.localhost:${stele.port}`;
      await from({ origin: preview(site.deployId) }).expect(202);
      const other = await connectorSite(stele, 'other@refusals.example.org');
      expect((await from({ origin: preview(other.deployId) }).expect(403)).body.code).toBe('cross_origin');
      expect((await from({ origin: other.origin }).expect(403)).body.code).toBe('cross_origin');
      await finishAll();
    });

    it('after a rename, the site’s pages can call its agents under the new slug', async () => {
      const moved = await connectorSite(stele, 'mover@refusals.example.org');
      const its = await agentOf(stele, moved);
      const slug = `${moved.slug}-2`.slice(-48);
      await stele.api.post(`/v1/sites/${moved.slug}/rename`).set(moved.owner).send({ slug }).expect(200);
      expect((await from({ origin: moved.origin }, moved).expect(403)).body.code).toBe('cross_origin');
      await from({ origin: `http://${slug}.localhost:${stele.port}` }, moved).expect(202);
      expect((await its.poll().expect(200)).body.slug).toBe(slug);
    });

    it('a private site reveals nothing to callers without a role', async () => {
      const hidden = await connectorSite(stele, 'hider@refusals.example.org');
      const its = await agentOf(stele, hidden);
      await stele.api
        .post(`/v1/sites/${hidden.slug}/access`)
        .set(hidden.owner)
        .send({ visibility: 'members' })
        .expect(200);
      expect((await from({ origin: hidden.origin }, hidden).expect(404)).body.code).toBe('site_not_found');
      const host = { host: `${hidden.slug}.localhost:${stele.port}` };
      const onHost = await stele.raw.post('/.stele/invoke').set(host).send({ input: 1 }).expect(401);
      expect(onHost.body.code).toBe('unauthenticated');
      const { body } = await from(hidden.owner, hidden).expect(202);
      await stele.api.get(`/v1/sites/${hidden.slug}/connector/invocations/${body.id}`).expect(404);
      expect((await its.poll().expect(200)).body.id).toBe(body.id);
    });

    it('on a site’s own host, only the site’s own pages can call agents and read the responses', async () => {
      const host = `${site.slug}.localhost:${stele.port}`;
      const call = (origin: string) =>
        stele.raw.post('/.stele/invoke').set({ host, origin }).send({ input: 1, wait: 0 });
      for (const origin of ['null', `http://other.localhost:${stele.port}`, 'https://elsewhere.example', 'x']) {
        const { body, headers } = await call(origin).expect(403);
        expect(body.code).toBe('cross_origin');
        expect(headers).not.toHaveProperty('access-control-allow-origin');
      }
      const { headers } = await call(site.origin).expect(202);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      await finishAll();
      for (const method of ['get', 'put', 'options', 'delete'] as const) {
        const answer = await stele.raw[method]('/.stele/invoke').set({ host, origin: 'https://elsewhere.example' });
        expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'POST']);
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
      await stele.raw.post('/.stele/invoke').send({ input: 1 }).expect(404);
      await stele.raw
        .post('/.stele/invoke')
        .set('host', `nothing-here.localhost:${stele.port}`)
        .send({ input: 1 })
        .expect(404);
      await stele.raw.post('/.stele/invoke').set('host', 'elsewhere.example').send({ input: 1 }).expect(421);
    });

    it('on a site’s own host, the service’s credentials are ignored', async () => {
      const host = `${site.slug}.localhost:${stele.port}`;
      await stele.raw
        .post('/.stele/invoke')
        .set({ host, authorization: 'Bearer nonsense' })
        .send({ input: 1, wait: 0 })
        .expect(202);
      await finishAll();
    });
  });

  describe('request bodies', () => {
    it.each<[string, unknown, number, string]>([
      ['no input', {}, 400, 'input'],
      ['an array', [], 400, ''],
      ['a bare value', '"x"', 400, ''],
      ['an unknown member', { input: 1, inputs: 2 }, 400, 'inputs'],
      ['a wait in words', { input: 1, wait: 'long' }, 400, 'wait'],
      ['a negative wait', { input: 1, wait: -1 }, 400, 'wait'],
      ['a wait that is too long', { input: 1, wait: 31 }, 400, 'wait'],
      ['a fractional priority', { input: 1, priority: 0.5 }, 400, 'priority'],
      ['a priority that is too high', { input: 1, priority: 11 }, 400, 'priority'],
      ['a priority that is too low', { input: 1, priority: -11 }, 400, 'priority'],
      ['an invalid number', '{"input":1e999}', 400, 'input'],
      ['deeply nested JSON', `{"input":${'['.repeat(100)}${']'.repeat(100)}}`, 400, ''],
      ['invalid JSON', '{"input":', 400, ''],
      ['an empty body', '', 400, ''],
    ])('a call with an invalid body is refused: %s', async (_, body, status, where) => {
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const { body: problem } = await stele.raw
        .post(path())
        .set({ origin: site.origin, 'content-type': 'application/json' })
        .send(sent)
        .expect(status);
      expect(problem.code).toBe('invalid_request');
      expect(problem.errors[0].path).toBe(where);
    });

    it('an input of 256 KiB is accepted; a larger input is refused', async () => {
      const input = 'x'.repeat(KIB_256 - 2);
      await invoke(stele, site, { input, wait: 0 }).expect(202);
      const { body: leased } = await agent.poll().expect(200);
      expect(leased.input).toBe(input);
      await agent.answer(leased.id, { output: null }).expect(200);
      const { body } = await invoke(stele, site, { input: `${input}x`, wait: 0 }).expect(413);
      expect(body.errors[0].path).toBe('input');
      const { body: far } = await invoke(stele, site, { input: 'x'.repeat(4 * KIB_256), wait: 0 }).expect(413);
      expect(far.code).toBe('too_large');
    });

    it('the input can be any JSON value, and is delivered unchanged', async () => {
      const odd = ['\u0000', '\ud800', '</script>', '\u2028', 'ÿ', 1e21, -0.5, null, { __proto__: null, a: [] }, ''];
      const { id } = await work(odd);
      const { body } = await agent.answer(id, { output: odd }).expect(200);
      expect(body.status).toBe('succeeded');
      const { text } = await stele.raw.get(`/v1/sites/${site.slug}/connector/invocations/${id}`).expect(200);
      expect(JSON.parse(text).output).toEqual(JSON.parse(JSON.stringify(odd)));
    });

    it('bodies that are forms or plain text are refused', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await stele.raw.post(path()).set({ origin: site.origin, 'content-type': type }).send('input=1');
        expect([type, answer.status]).toEqual([type, 415]);
      }
    });

    it.each<[string, object | string, number, string]>([
      ['neither an output nor an error', {}, 400, 'output'],
      ['both an output and an error', { output: 1, error: { message: 'x' } }, 400, 'output'],
      ['an error that is a string', { error: 'x' }, 400, 'error'],
      ['an error without a message', { error: {} }, 400, 'error.message'],
      ['an empty message', { error: { message: '' } }, 400, 'error.message'],
      ['a message that is too long', { error: { message: 'x'.repeat(4_097) } }, 400, 'error.message'],
      ['an error in a partial result', { partial: true, error: { message: 'x' } }, 400, 'partial'],
      ['a partial field that is not a boolean', { partial: 'yes', output: 1 }, 400, 'partial'],
      ['an invalid attempt', { output: 1, attempt: 0 }, 400, 'attempt'],
      ['an invalid number', '{"output":1e999}', 400, 'output'],
    ])('a result with %s is refused', async (_, body, status, where) => {
      const { id } = await work();
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const { body: problem } = await stele.raw
        .post(`/v1/connector/result/${id}`)
        .set({ ...agent.bearer, 'content-type': 'application/json' })
        .send(sent)
        .expect(status);
      expect(problem.errors[0].path).toBe(where);
      await agent.answer(id, { output: null }).expect(200);
    });

    it('results and partial results larger than 256 KiB are refused', async () => {
      const { id } = await work();
      const output = 'x'.repeat(KIB_256 - 1);
      await agent.answer(id, { output }).expect(413);
      await agent.answer(id, { output, partial: true }).expect(413);
      await agent.answer(id, { output: output.slice(1) }).expect(200);
    });

    it.each(['wait=-1', 'wait=31', 'wait=x', 'wait=&wait=1', 'weight=1'])(
      'polling with %s is refused',
      async (query) => {
        await stele.raw.get(`/v1/connector/poll?${query}`).set(agent.bearer).expect(400);
      },
    );
  });

  describe('agents', () => {
    it.each([
      ['no token', () => ({})],
      ['a session', () => site.owner],
      ['an edit token', () => ({ authorization: `Bearer stele_edit_${'x'.repeat(49)}` })],
      ['an edit token in its own header', () => ({ 'x-svc-edit-token': `stele_edit_${'x'.repeat(49)}` })],
      ['a truncated token', () => ({ authorization: agent.bearer.authorization.slice(0, -1) })],
      ['a made-up token', () => ({ authorization: `Bearer stele_connector_${'x'.repeat(49)}` })],
      ['a token of another scheme', () => ({ authorization: agent.bearer.authorization.replace('Bearer', 'Basic') })],
    ])('polling requires a connector token: %s is refused', async (_, headers) => {
      for (const call of [
        stele.raw.get('/v1/connector/poll?wait=0'),
        stele.raw.post(`/v1/connector/result/wrk_${'0'.repeat(26)}`).send({ output: 1 }),
      ]) {
        const { body } = await call.set(headers()).expect(401);
        expect(body.code).toBe('unauthenticated');
      }
    });

    it('a connector token is refused on every other route', async () => {
      for (const at of [
        '/v1/me',
        '/v1/limits',
        `/v1/sites/${site.slug}`,
        `/v1/sites/${site.slug}/connector/invocations`,
      ])
        await stele.raw.get(at).set(agent.bearer).expect(401);
      await stele.raw.post(path()).set(agent.bearer).send({ input: 1 }).expect(401);
    });

    it('an agent gets 404 for work of other sites and for unknown work', async () => {
      const { id } = await work();
      const other = await agentOf(stele, await connectorSite(stele, 'third@refusals.example.org'));
      for (const [who, which] of [
        [other, id],
        [agent, `wrk_${'0'.repeat(26)}`],
        [agent, 'wrk_1'],
        [agent, '%F0%9F'],
      ] as const) {
        const { status } = await who.answer(which, { output: 1 });
        expect([which, status]).toEqual([which, which === '%F0%9F' ? 400 : 404]);
      }
      const { body } = await other.answer(id, { output: 1, partial: true }).expect(404);
      expect(body.code).toBe('not_found');
      await agent.answer(id, { output: 1 }).expect(200);
    });

    it('a HEAD request from an agent receives no work', async () => {
      await invoke(stele, site, { input: 1, wait: 0 }).expect(202);
      await stele.raw.head('/v1/connector/poll').set(agent.bearer).expect(204);
      const { body } = await agent.poll().expect(200);
      await agent.answer(body.id, { output: null }).expect(200);
    });

    it('revoking a connector token takes effect immediately', async () => {
      const gone = await agentOf(stele, site, 'to be revoked');
      const { id } = await work();
      const polling = gone.poll(20).then(({ status }) => status);
      await stele.api.delete(`/v1/sites/${site.slug}/connector/tokens/${gone.tokenId}`).set(site.owner).expect(204);
      await gone.poll().expect(401);
      await gone.answer(id, { output: 1 }).expect(401);
      expect([204, 401]).toContain(await polling);
      await stele.api.delete(`/v1/sites/${site.slug}/connector/tokens/${gone.tokenId}`).set(site.owner).expect(404);
      await agent.answer(id, { output: null }).expect(200);
    });
  });

  it('the error says what to do if no agent is connected, or if the connector is switched off', async () => {
    const lonely = await connectorSite(stele, 'lonely@refusals.example.org');
    const { body: alone } = await invoke(stele, lonely, { input: 1 }).expect(503);
    expect(alone).toMatchObject({ code: 'no_agent', suggestion: expect.stringContaining('/v1/connector/poll') });
    await agentOf(stele, lonely);
    await invoke(stele, lonely, { input: 1, wait: 0 }).expect(202);
    const capabilities = `/v1/sites/${lonely.slug}/capabilities`;
    await stele.api.post(capabilities).set(lonely.owner).send({ name: 'connector', enabled: false }).expect(200);
    const { body: off } = await invoke(stele, lonely, { input: 1 }).expect(403);
    expect(off).toMatchObject({ code: 'capability_disabled', suggestion: expect.stringContaining('capabilities') });
  });
});
