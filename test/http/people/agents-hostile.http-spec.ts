import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AgentProgram,
  browserOfPerson,
  CALLBACK,
  grantsOf,
  homeOf,
  registerProgram,
} from '../../support/people/agent-program.js';
import { HttpBrowser } from '../../support/people/http-browser.js';
import { makePkce } from '../../support/people/terminal-sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('Malicious OAuth clients', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let resource: ReturnType<typeof grantsOf>;
  let ann: Awaited<ReturnType<typeof browserOfPerson>>;
  let program: AgentProgram;

  beforeAll(async () => {
    temporary = await temporaryFolder('agents-hostile');
    stele = await sharedStele({ folder: temporary.folder });
    resource = grantsOf(stele);
    ann = await browserOfPerson(stele, 'ann@agents-hostile.example.org');
    program = await AgentProgram.registered(stele, {
      redirect_uris: [CALLBACK, 'http://127.0.0.1/back', 'com.example.agent:/back'],
    });
  }, 180_000);
  afterAll(async () => {
    await resource?.close();
    await stele?.stop();
    await temporary.remove();
  });

  const at = () => `${homeOf(stele)}/mcp`;
  const holds = (token: string) =>
    resource.grants.find(token, at()).then(
      () => true,
      () => false,
    );
  const asJson = { headers: { accept: 'application/json' } };

  describe('redirect addresses', () => {
    it.each([
      ['another host', 'https://evil.example/callback'],
      ['a subdomain', 'https://evil.agent.example/callback'],
      ['a host with the same beginning', 'https://agent.example.evil.example/callback'],
      ['another scheme', 'http://agent.example/callback'],
      ['another port', 'https://agent.example:8443/callback'],
      ['a user name before the host', 'https://agent.example@evil.example/callback'],
      ['an address with a user name', 'https://ann@agent.example/callback'],
      ['an address with a fragment', 'https://agent.example/callback#here'],
      ['an address with a query', 'https://agent.example/callback?a=b'],
      ['a longer path', 'https://agent.example/callback/more'],
      ['a path with dots', 'https://agent.example/callback/../elsewhere'],
      ['a host in capitals', 'https://AGENT.example/callback'],
      ['an address with a backslash', 'https://agent.example\\@evil.example/callback'],
      ['an address with a line break', 'https://agent.example/callback\n'],
      ['another path of this machine', 'http://127.0.0.1:81/elsewhere'],
      ['another name of this machine', 'http://localhost:81/back'],
      ['https on this machine', 'https://127.0.0.1/back'],
      ['a private-use scheme with another path', 'com.example.agent:/elsewhere'],
      ['a javascript: URL', 'javascript:alert(1)'],
      ['an empty address', ''],
      ['an invalid URL', 'callback'],
      ['no address', undefined],
      ['two addresses', [CALLBACK, 'https://evil.example/']],
    ])('an authorization request can’t redirect to %s', async (_, redirect_uri) => {
      const { href } = program.request({ redirect_uri });
      for (const init of [{}, asJson]) {
        const answer = await ann.browser.open(href, init);
        expect([answer.status, answer.location]).toEqual([400, null]);
        expect(answer.headers.get('refresh')).toBeNull();
      }
    });

    it.each<[string, object]>([
      ['with a fragment', { redirect_uris: ['https://agent.example/#x'] }],
      ['with a user name', { redirect_uris: ['https://ann@agent.example/'] }],
      ['without TLS on another machine', { redirect_uris: ['http://agent.example/'] }],
      ['with javascript:', { redirect_uris: ['javascript:alert(1)'] }],
      ['with data:', { redirect_uris: ['data:text/html,x'] }],
      ['with file:', { redirect_uris: ['file:///etc/passwd'] }],
      ['with a scheme that any program could claim', { redirect_uris: ['agent:/back'] }],
      ['with a scheme of the operating system', { redirect_uris: ['ms-msdt:/id'] }],
      ['with a line break', { redirect_uris: ['https://agent.example/\n'] }],
      ['that is too long', { redirect_uris: [`https://agent.example/${'x'.repeat(2_000)}`] }],
      ['that is not a string', { redirect_uris: [{ a: 1 }] }],
      ['list that is empty', { redirect_uris: [] }],
      ['list that is missing', { redirect_uris: undefined }],
      ['that is not in a list', { redirect_uris: 'https://agent.example/' }],
      [
        'list of eleven addresses',
        { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://agent.example/${n}`) },
      ],
      ['list with a bad address', { redirect_uris: [CALLBACK, 'vbscript:x'] }],
    ])('a client can’t register a redirect address %s', async (_, metadata) => {
      const { status, body } = await stele.raw.post('/oauth/register').send({ client_name: 'x', ...metadata });
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
      expect(body.error_description).toContain('redirect_uris');
    });
  });

  it('a registered client is stored with a sanitized name, and without a secret or unknown fields', async () => {
    const name = '\u202eedualC\u200b ann@agents-hostile.example.org \u0007 tool'.concat('x'.repeat(500));
    const { body } = await stele.raw
      .post('/oauth/register')
      .send({
        redirect_uris: [CALLBACK],
        client_name: name,
        client_id: 'mine',
        token_endpoint_auth_method: 'client_secret_basic',
        jwks_uri: 'http://169.254.169.254/',
        sector_identifier_uri: 'http://169.254.169.254/',
        grant_types: ['client_credentials', 'implicit', 'password'],
        response_types: ['token'],
      })
      .expect(201);
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^cli_/),
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
    expect(body.client_name).toMatch(/^edualC toolx{40,}$/);
    expect(body.client_name.length).toBeLessThanOrEqual(60);
    expect(Object.keys(body).filter((key) => /secret|jwks|sector/.test(key))).toEqual([]);
    await stele.raw.post('/oauth/register').send([]).expect(400);
    await stele.raw
      .post('/oauth/register')
      .send({ client_name: 'x'.repeat(30_000) })
      .expect(413);
    await stele.raw.post('/oauth/register').type('form').send('redirect_uris=x').expect(415);
  });

  describe('PKCE', () => {
    it.each<[string, Record<string, string | undefined>]>([
      ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
      ['a plain challenge', { code_challenge_method: 'plain' }],
      ['a challenge without a method', { code_challenge_method: undefined }],
      ['a method without a challenge', { code_challenge: undefined }],
      ['a challenge that is too short', { code_challenge: 'short' }],
    ])('an authorization request with %s is refused', async (_, changes) => {
      const answer = await ann.browser.open(program.request(changes).href, asJson);
      expect(new URL(answer.location ?? '').searchParams.get('error')).toBe('invalid_request');
    });

    it('an authorization code can’t be exchanged if the PKCE verifier is wrong, missing or too short', async () => {
      const { code, verifier } = await program.codeFrom(ann.browser);
      for (const code_verifier of [makePkce().verifier, undefined, '', 'short', verifier.toUpperCase()])
        await program.exchange({ code, code_verifier }).expect(400);
      await program.exchange({ code, code_verifier: verifier }).expect(200);
    });
  });

  it('a client can’t exchange the code or token of another client, or a code with a different redirect address', async () => {
    const other = await AgentProgram.registered(stele);
    const { code, verifier: code_verifier } = await program.codeFrom(ann.browser);
    await other.exchange({ code, code_verifier }).expect(400, /invalid_grant/);
    await program.exchange({ code, code_verifier, redirect_uri: 'http://127.0.0.1/back' }).expect(400);
    await program.exchange({ code, code_verifier, redirect_uri: undefined }).expect(400);
    await program.token({ grant_type: 'refresh_token', refresh_token: code }).expect(400);
    const { body } = await program.exchange({ code, code_verifier }).expect(200);
    await other.refresh(body.refresh_token).expect(400, /invalid_grant/);
    await other.revoke(body.refresh_token).expect(200);
    await other.revoke(body.access_token).expect(200);
    expect(await holds(body.access_token)).toBe(true);
    await program.refresh(body.refresh_token, { client_id: undefined }).expect(400);
    await program.refresh(body.refresh_token, { client_id: 'cli_unknown' }).expect(401);
  });

  it('reusing an authorization code revokes the grant and its tokens', async () => {
    const { code, verifier } = await program.codeFrom(ann.browser);
    const { body } = await program.exchange({ code, code_verifier: verifier }).expect(200);
    expect(await holds(body.access_token)).toBe(true);
    await program.exchange({ code, code_verifier: verifier }).expect(400, /invalid_grant/);
    expect(await holds(body.access_token)).toBe(false);
    await program.refresh(body.refresh_token).expect(400, /invalid_grant/);
  });

  it('reusing a refresh token revokes the grant, including tokens that were stolen', async () => {
    const first = await program.letIn(ann.browser);
    const { body: thief } = await program.refresh(first.refresh_token).expect(200);
    await program.refresh(first.refresh_token).expect(400, /invalid_grant/);
    expect(await holds(thief.access_token)).toBe(false);
    expect(await holds(first.access_token)).toBe(false);
    await program.refresh(thief.refresh_token).expect(400, /invalid_grant/);
  });

  it.each(['code', 'refresh token'])(
    'if many concurrent requests use the same %s, at most one gets tokens, and its tokens are revoked',
    async (kind) => {
      const { code, verifier } = await program.codeFrom(ann.browser);
      const exchange = () => program.exchange({ code, code_verifier: verifier });
      const { refresh_token } = kind === 'code' ? { refresh_token: '' } : (await exchange()).body;
      const all = await Promise.all(
        Array.from({ length: 8 }, () => (kind === 'code' ? exchange() : program.refresh(refresh_token))),
      );
      const given = all.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThanOrEqual(1);
      expect(all.filter(({ status }) => status >= 500)).toEqual([]);
      for (const { body } of given) {
        expect(await holds(body.access_token)).toBe(false);
        await program.refresh(body.refresh_token).expect(400);
      }
    },
  );

  describe('the resource parameter of an OAuth request', () => {
    it.each<[string, string | string[] | undefined]>([
      ['no resource', undefined],
      ['the service itself', 'http://localhost/'],
      ['another server', 'https://evil.example/mcp'],
      ['the MCP server and another server', ['OURS', 'https://evil.example/mcp']],
      ['the MCP server with a fragment', 'OURS#x'],
      ['the MCP server with a query', 'OURS?x'],
      ['an invalid URL', 'mcp'],
    ])('an authorization request with a wrong resource is refused: %s', async (_, wanted) => {
      const resources = [wanted ?? []].flat().map((each) => each.replace('OURS', at()));
      const { href } = program.request({ resource: resources });
      const { location } = await ann.browser.open(href, asJson);
      expect(new URL(location ?? '').searchParams.get('error')).toBe('invalid_target');
    });

    it('a token request for another resource is refused', async () => {
      const { code, verifier } = await program.codeFrom(ann.browser);
      const exchange = (resource: string | string[]) => program.exchange({ code, code_verifier: verifier, resource });
      await exchange('https://evil.example/mcp').expect(400, /invalid_target/);
      const again = await program.letIn(ann.browser);
      await program
        .refresh(again.refresh_token, { resource: 'https://evil.example/mcp' })
        .expect(400, /invalid_target/);
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['a response in the fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a response by form post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['a response by web message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['a signed response', { response_mode: 'jwt' }, 'unsupported_response_mode'],
    ['an immediate token', { response_type: 'token' }, 'unsupported_response_type'],
    ['a code with a token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['no response', { response_type: 'none' }, 'unsupported_response_type'],
    ['a request object', { request: 'eyJ.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'http://169.254.169.254/' }, 'request_uri_not_supported'],
    ['prompt none', { prompt: 'none' }, 'interaction_required'],
    ['prompt none with another prompt', { prompt: 'none consent' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'silent' }, 'invalid_request'],
    ['an unknown scope', { scope: 'root' }, 'invalid_scope'],
    ['a scope with an invalid character', { scope: '"x"' }, 'invalid_scope'],
  ])(
    'an authorization request for %s is refused, without redirecting the browser to the client',
    async (_, changes, error) => {
      const { href } = program.request(changes);
      const sent = await ann.browser.open(href, asJson);
      const location = new URL(sent.location ?? '');
      expect(location.origin + location.pathname).toBe(CALLBACK);
      // In the implicit flow, errors are returned in the fragment, like the token (RFC 6749 section 4.2.2.1).
      const told = new URLSearchParams(location.search || location.hash.slice(1));
      expect([told.get('error'), told.get('code'), told.get('access_token')]).toEqual([error, null, null]);
      const shown = await ann.browser.open(href);
      expect([shown.status, shown.location, shown.headers.get('refresh')]).toEqual([400, null, null]);
      expect(shown.text).toContain('agent.example');
      expect(shown.text).not.toContain('<script');
    },
  );

  it('only supported scopes are granted', async () => {
    const { scope } = await program.letIn(ann.browser, {
      scope: 'openid offline_access read',
      nonce: 'x',
      max_age: '1',
    });
    expect(scope).toBe('read');
  });

  describe('consent', () => {
    const waiting = async () => {
      const { address, page } = await program.asked(ann.browser);
      const body = new URLSearchParams({ as: ann.user.id, decision: 'approve', sites: 'all' });
      return { address, page, body };
    };
    const grants = async () => (await stele.query('select count(*)::int as n from agent_grants'))[0]?.n;

    it.each([
      ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
      ['a hosted site', { 'sec-fetch-site': 'same-site' }],
      ['a page of another origin in an old browser', { origin: 'https://evil.example' }],
      ['a page that hides its origin', { origin: 'null' }],
    ])('consent can’t be given by a form on %s', async (_, headers) => {
      const { address, body } = await waiting();
      const before = await grants();
      const answer = await ann.browser.open(address, { method: 'POST', body, headers });
      expect([answer.status, answer.headers.get('refresh')]).toEqual([403, null]);
      expect(await grants()).toBe(before);
    });

    it('consent can’t be given in a browser other than the one that started the authorization', async () => {
      const { address, body } = await waiting();
      const bob = await browserOfPerson(stele, 'bob@agents-hostile.example.org');
      for (const each of [new HttpBrowser(), bob.browser]) {
        expect((await each.open(address)).status).toBe(400);
        const answer = await each.open(address, { method: 'POST', body });
        expect([answer.status, answer.headers.get('refresh')]).toEqual([400, null]);
      }
    });

    it('consent can’t be given by a user other than the one who saw the consent page', async () => {
      const { address, page } = await waiting();
      const answer = await program.answer(ann.browser, address, page.text, { as: 'usr_somebody' });
      expect([answer.pressed.status, answer.pressed.location, answer.onward]).toEqual([303, address, null]);
    });

    it('consent can’t be given by another user in the same browser', async () => {
      const { address, page } = await waiting();
      const out = await program.answer(ann.browser, address, page.text, { decision: 'other' });
      expect(out.pressed.location).toBe(`${homeOf(stele)}/sign-in`);
      const answer = await program.answer(ann.browser, address, page.text);
      expect([answer.pressed.status, answer.onward]).toEqual([303, null]);
      ann = await browserOfPerson(stele, 'ann@agents-hostile.example.org');
    });

    it('consent can’t be skipped: the authorization URL grants nothing before the user decides', async () => {
      const { address } = await waiting();
      const resumed = await ann.browser.open(address.replace('/consent/', '/authorize/'));
      expect(resumed.location ?? '').toContain('/oauth/consent/');
      const stranger = await new HttpBrowser().open(address.replace('/consent/', '/authorize/'));
      expect([stranger.status, stranger.location]).toEqual([400, null]);
    });

    it('a consent decision can’t be submitted twice', async () => {
      const { address, page } = await waiting();
      const { next, onward } = await program.answer(ann.browser, address, page.text);
      expect(onward?.searchParams.get('code')).toBeTruthy();
      const again = await ann.browser.open(next ?? '');
      expect([again.status, again.location]).toEqual([400, null]);
    });

    it('consent can’t be given with a forged cookie', async () => {
      const { address, body } = await waiting();
      const uid = address.split('/').pop();
      const forged = await fetch(address, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          cookie: `stele_session=${ann.token}; stele_oauth_consent=${uid}; stele_oauth_consent.sig=AAAAAAAAAAAAAAAAAAAAAAAAAAA`,
        },
      });
      expect(forged.status).toBe(400);
    });
  });

  describe('expiry', () => {
    const past = (table: string, where: string, column = 'expires_at') =>
      stele.query(`update ${table} set ${column} = now() - interval '31 days' where ${where}`);

    it('an expired code is refused', async () => {
      const { code, verifier } = await program.codeFrom(ann.browser);
      await past('agent_artifacts', `kind = 'AuthorizationCode'`);
      await program.exchange({ code, code_verifier: verifier }).expect(400, /invalid_grant/);
    });

    it('an expired access token or refresh token is refused', async () => {
      const tokens = await program.letIn(ann.browser);
      await past('agent_artifacts', `kind = 'AccessToken'`);
      expect(await holds(tokens.access_token)).toBe(false);
      await past('agent_artifacts', `kind = 'RefreshToken'`);
      await program.refresh(tokens.refresh_token).expect(400, /invalid_grant/);
    });

    it('a grant expires after a month without use, or after a year', async () => {
      for (const column of ['last_used_at', 'created_at']) {
        const tokens = await program.letIn(ann.browser);
        const value = column === 'created_at' ? `now() - interval '366 days'` : `now() - interval '31 days'`;
        await stele.query(`update agent_grants set ${column} = ${value}`);
        expect(await holds(tokens.access_token)).toBe(false);
        await program.refresh(tokens.refresh_token).expect(400, /invalid_grant/);
        expect((await stele.api.get('/v1/me/grants').set(ann.bearer).expect(200)).body.items).toEqual([]);
      }
    });

    it('an expired consent page is refused', async () => {
      const { address, page } = await program.asked(ann.browser);
      await past('agent_artifacts', `kind = 'Interaction'`);
      expect((await ann.browser.open(address)).status).toBe(400);
      expect((await program.answer(ann.browser, address, page.text)).pressed.status).toBe(400);
    });

    it('a client registration that nobody approved expires', async () => {
      const forgotten = await AgentProgram.registered(stele);
      await past('agent_clients', `client_id = '${forgotten.clientId}'`, 'kept_until');
      const answer = await ann.browser.open(forgotten.request().href, asJson);
      expect([answer.status, answer.location]).toEqual([400, null]);
      const kept = await AgentProgram.registered(stele);
      await kept.letIn(ann.browser);
      await past('agent_clients', `client_id = '${kept.clientId}'`, 'kept_until');
      await kept.letIn(ann.browser);
    });
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['two codes', { grant_type: 'authorization_code', code: ['a', 'b'] }],
    ['an unknown grant type', { grant_type: 'password', username: 'ann', password: 'x' }],
    ['client credentials', { grant_type: 'client_credentials' }],
    ['an empty body', {}],
    ['a very long code', { grant_type: 'authorization_code', code: 'x'.repeat(5_000), code_verifier: 'x'.repeat(43) }],
    ['a NUL', { grant_type: 'authorization_code', code: '\0', code_verifier: 'x'.repeat(43) }],
  ])('a token request with %s is refused', async (_, fields) => {
    const { status, body } = await program.exchange({ grant_type: undefined, ...fields });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^(invalid_|unsupported_)/);
  });

  it('a token request is refused if its body is not a form', async () => {
    await stele.raw.post('/oauth/token').send({ grant_type: 'refresh_token' }).expect(400);
    await stele.raw.post('/oauth/token').type('text').send('x').expect(415);
    await stele.raw
      .post('/oauth/token')
      .type('form')
      .send(`code=${'x'.repeat(10_000)}`)
      .expect(413);
    await stele.raw.get('/oauth/token').expect(405);
    await stele.raw.post('/oauth/authorize').expect(405);
  });

  it('a flood of registrations displaces only clients that nobody has approved', async () => {
    const kept = await AgentProgram.registered(stele);
    await kept.letIn(ann.browser);
    await stele.query(
      `insert into agent_clients (client_id, metadata) select 'flood_' || n, '{}' from generate_series(1, 6000) n`,
    );
    await registerProgram(stele);
    const [{ n } = { n: 0 }] = await stele.query('select count(*)::int as n from agent_clients');
    const [{ m } = { m: 0 }] = await stele.query('select count(distinct client_id)::int as m from agent_grants');
    expect(n).toBeLessThanOrEqual(5_000 + Number(m));
    await kept.letIn(ann.browser);
  });

  it('malicious clients cause no server error', () =>
    expect(stele.printed()).not.toMatch(/Authorization server|ERROR \[Request\]/));
});
