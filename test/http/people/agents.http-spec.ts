import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentProgram, browserOfPerson, grantsOf, homeOf } from '../../support/people/agent-program.js';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('Connected apps', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let resource: ReturnType<typeof grantsOf>;
  let ann: Awaited<ReturnType<typeof browserOfPerson>>;

  beforeAll(async () => {
    temporary = await temporaryFolder('agents');
    stele = await sharedStele({ folder: temporary.folder });
    resource = grantsOf(stele);
    ann = await browserOfPerson(stele, 'ann@agents.example.org');
  }, 180_000);
  afterAll(async () => {
    await resource?.close();
    await stele?.stop();
    await temporary.remove();
  });

  const at = () => `${homeOf(stele)}/mcp`;
  const refused = expect.objectContaining({ code: 'unauthenticated' });
  const siteOf = async ({ bearer }: { bearer: { authorization: string } }) => {
    const { body } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('<h1>x</h1>').expect(200);
    const { body: shown } = await stele.api.get(`/v1/sites/${body.slug}`).expect(200);
    return { slug: body.slug as string, siteId: shown.id as string };
  };

  it('an app discovers the authorization server from the MCP address', async () => {
    const { body: tools } = await stele.raw.get('/.well-known/oauth-protected-resource/mcp').expect(200);
    expect(tools).toMatchObject({ resource: at(), authorization_servers: [homeOf(stele)] });
    for (const path of ['oauth-authorization-server', 'openid-configuration']) {
      const { body, headers } = await stele.raw.get(`/.well-known/${path}`).expect(200);
      expect(body).toMatchObject({
        issuer: homeOf(stele),
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
      });
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    expect((await stele.raw.get('/oauth/keys').expect(200)).body.keys).toHaveLength(1);
  });

  it('the issuer comes from the settings, regardless of the Host header', async () => {
    const { body } = await stele.raw
      .get('/.well-known/oauth-authorization-server')
      .set({ 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' })
      .expect(200);
    expect(body.authorization_endpoint).toBe(`${homeOf(stele)}/oauth/authorize`);
    await stele.raw.get('/.well-known/oauth-authorization-server').set('host', 'evil.example').expect(421);
  });

  it('after the user approves an app on the consent page, it receives tokens for MCP', async () => {
    const program = await AgentProgram.registered(stele, { client_name: 'Claude <b>' });
    const { address, page, verifier } = await program.asked(ann.browser);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Claude &lt;b&gt;');
    expect(page.text).toContain('agent.example');
    expect(page.text).toContain('ann@agents.example.org');
    expect(page.text).toContain('receive none of your sites’ secrets, except builds of a linked repository');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.text).not.toContain('<script');
    const { onward } = await program.answer(ann.browser, address, page.text);
    expect(onward?.href.startsWith('https://agent.example/callback?')).toBe(true);
    expect(Object.fromEntries(onward?.searchParams ?? [])).toEqual({
      code: expect.any(String),
      state: 'of-this-program',
      iss: homeOf(stele),
    });
    const code = onward?.searchParams.get('code') ?? '';
    const { body } = await program.exchange({ code, code_verifier: verifier, resource: at() }).expect(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^stele_agent_\w{49}$/),
      refresh_token: expect.stringMatching(/^stele_refresh_\w{49}$/),
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'read publish',
    });
    const grant = await resource.grants.find(body.access_token, at());
    expect(grant).toMatchObject({
      userId: ann.user.id,
      clientId: program.clientId,
      clientName: 'Claude <b>',
      scopes: new Set(['read', 'publish']),
      siteIds: null,
      caller: { userId: ann.user.id, editTokenHash: null, delegation: { role: 'editor', memberIds: null } },
    });
    await expect(resource.grants.find(body.access_token, homeOf(stele))).rejects.toEqual(refused);
    await expect(resource.grants.find(body.refresh_token, at())).rejects.toEqual(refused);
  });

  it('an app’s token is refused on every other API route', async () => {
    const program = await AgentProgram.registered(stele);
    const { access_token, refresh_token } = await program.letIn(ann.browser);
    for (const token of [access_token, refresh_token]) {
      const { body } = await stele.api.get('/v1/me').set('authorization', `Bearer ${token}`).expect(401);
      expect(body.detail).toContain('the token of a connected app');
      await stele.api.post('/v1/deploy').set('authorization', `Bearer ${token}`).type('html').send('x').expect(401);
    }
  });

  it('a refresh token can be exchanged for new tokens only once', async () => {
    const program = await AgentProgram.registered(stele);
    const first = await program.letIn(ann.browser, { scope: 'read publish manage' });
    const { body: second } = await program.refresh(first.refresh_token, { resource: at() }).expect(200);
    expect(second.scope).toBe('read publish manage');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const { body: third } = await program.refresh(second.refresh_token, { scope: 'read' }).expect(200);
    expect(third.scope).toBe('read');
    const { scopes, caller } = await resource.grants.find(third.access_token, at());
    expect([scopes, caller.delegation?.role]).toEqual([new Set(['read']), 'viewer']);
  });

  it('an app can act only on the chosen sites', async () => {
    const [one, two] = [await siteOf(ann), await siteOf(ann)];
    const program = await AgentProgram.registered(stele);
    const { address, page, verifier } = await program.asked(ann.browser);
    expect(page.text).toContain(one.slug);
    const none = await program.answer(ann.browser, address, page.text, { sites: 'chosen' });
    expect(none.pressed.status).toBe(400);
    const { onward } = await program.answer(ann.browser, address, page.text, {
      sites: 'chosen',
      [`site-${one.siteId}`]: 'on',
      'site-site_of_somebody_else': 'on',
    });
    const code = onward?.searchParams.get('code') ?? '';
    const { body } = await program.exchange({ code, code_verifier: verifier }).expect(200);
    const grant = await resource.grants.find(body.access_token, at());
    expect(grant.siteIds).toEqual(new Set([one.siteId]));
    expect(grant.caller.delegation?.memberIds?.length).toBe(1);
    const { body: list } = await stele.api.get('/v1/me/grants').set(ann.bearer).expect(200);
    expect(list.items[0]).toMatchObject({ sites: [one.slug], scopes: ['read', 'publish'] });
    expect(JSON.stringify(list.items[0])).not.toContain(two.slug);
  });

  it('an app is listed with the user’s sessions, and removing it immediately revokes all its tokens', async () => {
    const program = await AgentProgram.registered(stele, { client_name: 'To be ended' });
    const tokens = await program.letIn(ann.browser);
    const { body } = await stele.api.get('/v1/me/grants').set(ann.bearer).expect(200);
    const [{ id, client }] = body.items;
    expect(client).toEqual({ id: program.clientId, name: 'To be ended' });
    const bob = await signIn(stele, 'bob@agents.example.org');
    await stele.api.delete(`/v1/me/grants/${id}`).set(bob.bearer).expect(404);
    await stele.api.delete(`/v1/me/grants/${id}`).expect(401);
    await resource.grants.find(tokens.access_token, at());
    await stele.api.delete(`/v1/me/grants/${id}`).set(ann.bearer).expect(204);
    await expect(resource.grants.find(tokens.access_token, at())).rejects.toEqual(refused);
    await program.refresh(tokens.refresh_token).expect(400, /invalid_grant/);
    await stele.api.delete(`/v1/me/grants/${id}`).set(ann.bearer).expect(404);
  });

  it('an app can revoke its own grant with either of its tokens', async () => {
    const program = await AgentProgram.registered(stele);
    for (const name of ['access_token', 'refresh_token'] as const) {
      const tokens = await program.letIn(ann.browser);
      await program.revoke(tokens[name]).expect(200);
      await expect(resource.grants.find(tokens.access_token, at())).rejects.toEqual(refused);
      await program.refresh(tokens.refresh_token).expect(400);
      await program.revoke(tokens[name]).expect(200);
    }
    await program.revoke('stele_agent_nothing').expect(200);
  });

  it('an app is notified that the user denied access', async () => {
    const program = await AgentProgram.registered(stele);
    const { address, page } = await program.asked(ann.browser);
    const { onward } = await program.answer(ann.browser, address, page.text, { decision: 'deny' });
    expect(onward?.searchParams.get('error')).toBe('access_denied');
    expect(onward?.searchParams.get('state')).toBe('of-this-program');
    expect(onward?.searchParams.get('code')).toBeNull();
    expect((await program.answer(ann.browser, address, page.text)).pressed.status).toBe(400);
  });

  it('an app on the user’s machine can use a redirect port other than the registered port', async () => {
    const program = await AgentProgram.registered(stele, { redirect_uris: ['http://127.0.0.1:1/callback'] });
    const { onward } = await program.codeFrom(ann.browser, { redirect_uri: 'http://127.0.0.1:54321/callback' });
    expect(onward?.origin).toBe('http://127.0.0.1:54321');
  });

  it('an app’s access ends when its user’s account is deleted', async () => {
    const dora = await browserOfPerson(stele, 'dora@agents.example.org');
    const program = await AgentProgram.registered(stele);
    const tokens = await program.letIn(dora.browser);
    const waiting = await program.codeFrom(dora.browser);
    await stele.api.delete('/v1/me').set(dora.bearer).expect(204);
    await expect(resource.grants.find(tokens.access_token, at())).rejects.toEqual(refused);
    await program.refresh(tokens.refresh_token).expect(400, /invalid_grant/);
    await program.exchange({ code: waiting.code, code_verifier: waiting.verifier }).expect(400, /invalid_grant/);
    expect(await stele.query(`select * from agent_grants where user_id = '${dora.user.id}'`)).toEqual([]);
  });

  it('no token is stored in the database or in an event', async () => {
    const program = await AgentProgram.registered(stele);
    const { code, verifier } = await program.codeFrom(ann.browser);
    const { body } = await program.exchange({ code, code_verifier: verifier }).expect(200);
    const rows = JSON.stringify(await stele.query('select * from agent_artifacts, agent_grants'));
    for (const secret of [code, body.access_token, body.refresh_token]) expect(rows).not.toContain(secret);
    expect(
      JSON.stringify(await stele.log(), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain('stele_agent_');
  });
});
