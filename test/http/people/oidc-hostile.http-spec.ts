import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isFleetAsked } from '../../support/fleet/fleet-per-test.js';
import { MaliciousProvider } from '../../support/people/malicious-provider.js';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const CALLBACK = '/v1/auth/idp/callback';
const DISCOVERY = 'GET /.well-known/openid-configuration';
const says =
  (status: number, text: string, type = 'application/json'): RequestListener =>
  (_, answer) =>
    void answer.writeHead(status, { 'content-type': type }).end(text);
const silent: RequestListener = () => undefined;
const stopsInTheMiddle: RequestListener = (_, answer) =>
  void answer.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":');
const hangsUp: RequestListener = (request) => void request.socket.destroy();
/** Hangs up only after all concurrent requests have arrived. */
const hangsUpLate: RequestListener = (request) => void setTimeout(() => request.socket.destroy(), 1_000);
const endless: RequestListener = (_, answer) => {
  answer.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (answer.writable && answer.write(' '.repeat(65_536)));
  };
  answer.on('drain', more);
  more();
};

describe('An untrustworthy identity provider', () => {
  let stele: Stele;
  let provider: MaliciousProvider;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('oidc-hostile');
    remove = folder.remove;
    provider = await MaliciousProvider.open();
    stele = await startStele({ folder: folder.folder, env: provider.env });
  }, 180_000);
  beforeEach(() => provider.reset());
  afterAll(async () => {
    await stele?.stop();
    provider?.close();
    await remove();
  });

  const begin = async () => {
    const { headers } = await stele.api.get('/v1/auth/idp').expect(303);
    const asked = new URL(String(headers.location)).searchParams;
    provider.nonce = asked.get('nonce') ?? '';
    return { cookie: String(headers['set-cookie']).split(';')[0] ?? '', state: asked.get('state') ?? '' };
  };
  /** Requests the callback with the parameters that the provider would send. `given` overrides some of them. */
  const comeBack = async (given: Record<string, string | null> = {}) => {
    const { cookie, state } = await begin();
    const all = { code: 'code', state, iss: provider.issuer, ...given };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(all)) if (value !== null) query.set(name, value);
    return stele.api.get(`${CALLBACK}?${query}`).set('cookie', cookie);
  };

  describe('before the first successful discovery', () => {
    it.each<[string, RequestListener]>([
      ['is silent', silent],
      ['stops in the middle', stopsInTheMiddle],
      ['hangs up', hangsUp],
      ['never ends', endless],
      ['is broken', says(500, 'oops', 'text/plain')],
      ['returns a 404', says(404, '{}')],
      ['redirects', (_, answer) => void answer.writeHead(302, { location: '/elsewhere' }).end()],
      ['returns a page', says(200, '<h1>Welcome</h1>', 'text/html')],
      ['returns invalid JSON', says(200, '{"issuer":')],
      ['returns a list', says(200, '[]')],
      ['names another issuer', says(200, JSON.stringify({ issuer: 'https://login.example' }))],
    ])('sign-in is unavailable if the provider %s', async (_, listener) => {
      provider.instead = { '/.well-known/openid-configuration': listener };
      const { body, headers } = await stele.api.get('/v1/auth/idp').expect(503);
      expect(body).toMatchObject({ code: 'unavailable', retryable: true });
      expect(headers['retry-after']).toBe('5');
      expect(headers).not.toHaveProperty('set-cookie');
    });

    it('concurrent sign-ins cause only one discovery request', async () => {
      provider.instead = { '/.well-known/openid-configuration': hangsUpLate };
      await Promise.all(Array.from({ length: 10 }, () => stele.api.get('/v1/auth/idp').expect(503)));
      expect(provider.requests.length).toBeLessThan(10);
    });

    it.each([
      ['has no sign-in page', { authorization_endpoint: undefined }],
      ['has an invalid sign-in page', { authorization_endpoint: 'javascript:alert(1)' }],
      ['has no token endpoint', { token_endpoint: undefined }],
      ['has no keys', { jwks_uri: undefined }],
    ])('sign-in is unavailable if the provider %s', async (_, metadata) => {
      provider.metadata = metadata;
      const { body } = await stele.api.get('/v1/auth/idp').expect(503);
      expect(body).toMatchObject({ code: 'unavailable' });
    });

    it('sign-in works again when the provider is back', async () => {
      for (let count = 0; count < 6; count++) await begin();
      expect(new Set(provider.requests)).toEqual(new Set([DISCOVERY]));
      // Each process contacts the provider at most once for all six attempts.
      expect(provider.requests.length).toBeLessThanOrEqual(isFleetAsked ? 2 : 1);
    });
  });

  it('an honest provider can sign users in', async () => {
    const { status, body } = await comeBack();
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: { email: 'eve@example.org' } });
    // Leaves out requests for the discovery document, because a process sends one only if it has not contacted the
    // provider before.
    expect(provider.requests.filter((asked) => asked !== DISCOVERY)).toEqual(['POST /token', 'GET /keys']);
  });

  const now = Math.floor(Date.now() / 1000);
  const lies: [string, Partial<Pick<MaliciousProvider, 'claims' | 'header' | 'signer'>>][] = [
    ['of another issuer', { claims: { iss: 'https://login.example' } }],
    ['of an issuer with an extra slash', { claims: { iss: 'http://127.0.0.1/' } }],
    ['for another client', { claims: { aud: 'another' } }],
    ['for several clients, authorized for another', { claims: { aud: ['stele', 'another'], azp: 'another' } }],
    ['without an audience', { claims: { aud: undefined } }],
    ['with another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { exp: now - 3_600, iat: now - 7_200 } }],
    ['without an expiry', { claims: { exp: undefined } }],
    ['without an issue time', { claims: { iat: undefined } }],
    ['that is not valid yet', { claims: { nbf: now + 3_600 } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with an empty subject', { claims: { sub: '' } }],
    ['with a numeric subject', { claims: { sub: 7 } }],
    ['with a subject that contains a NUL', { claims: { sub: 'eve\u0000' } }],
    ['with a subject that is too long', { claims: { sub: 'e'.repeat(256) } }],
    ['that is not signed (alg none)', { header: { alg: 'none' }, signer: 'nobody' }],
    ['that is signed but says alg none', { header: { alg: 'none' } }],
    ['without its signature', { signer: 'nobody' }],
    ['that somebody else signed', { signer: 'another' }],
    ['that somebody else signed, without a key id', { header: { kid: undefined }, signer: 'another' }],
    [
      'that is signed with the client’s secret',
      { header: { alg: 'HS256', kid: undefined }, signer: 'the client’s secret' },
    ],
    ['that names an unknown key', { header: { kid: 'another' } }],
    ['with an unsupported critical header', { header: { crit: ['b64'], b64: false } }],
  ];
  it.each(lies)('an ID token %s does not sign a user in', async (_, lie) => {
    Object.assign(provider, lie);
    const { status, body, headers } = await comeBack();
    expect([status, (body as { code: string }).code]).toEqual([400, 'invalid_token']);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it.each([
    ['another issuer', { iss: 'https://login.example' }],
    ['no issuer, although the provider promises to send it', { iss: null }],
    ['no code', { code: null }],
  ])('a callback with %s is refused', async (_, given) => {
    const { status, body } = await comeBack(given);
    expect([status, (body as { code: string }).code]).toEqual([400, 'invalid_token']);
    expect(provider.requests).not.toContain('POST /token');
  });

  it.each<[string, string, RequestListener]>([
    ['does not respond to a code', '/token', silent],
    ['fails on a code', '/token', says(500, '{}')],
    ['reports a server error', '/token', says(500, '{"error":"server_error"}')],
    ['does not know the client', '/token', says(401, '{"error":"invalid_client"}')],
    ['returns a page for a code', '/token', says(200, '<h1>', 'text/html')],
    ['never ends its response to a code', '/token', endless],
    ['hangs up on a code', '/token', hangsUp],
    ['fails to return its keys', '/keys', says(500, '')],
  ])('sign-in is unavailable if the provider %s', async (_, path, listener) => {
    provider.instead = { [path]: listener };
    const { status, body, headers } = await comeBack();
    expect([status, (body as { code: string }).code, headers['retry-after']]).toEqual([503, 'unavailable', '5']);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('after a key change, ID tokens signed with the new key are accepted, but not those signed with the old key', async () => {
    expect((await comeBack()).status).toBe(200);
    provider.changeKey();
    expect((await comeBack()).status).toBe(200);
    provider.signer = 'its former key';
    expect((await comeBack()).body).toMatchObject({ code: 'invalid_token' });
  });

  it('nobody is signed in if the provider’s keys are malformed', async () => {
    provider.instead = { '/keys': says(200, '{"keys":"x"}') };
    expect((await comeBack()).body).toMatchObject({ code: 'invalid_token' });
  });

  it.each<[string, RequestListener, number]>([
    [
      'a response about somebody else',
      says(200, '{"sub":"mallory","email":"ann@example.org","email_verified":true}'),
      400,
    ],
    ['an error', says(500, '{}'), 503],
    ['a refusal', says(401, '{}'), 503],
  ])('nobody is signed in if the userinfo response is invalid: %s', async (_, listener, expected) => {
    provider.claims = { sub: 'new-one', email_verified: false };
    provider.instead = { '/userinfo': listener };
    expect((await comeBack()).status).toBe(expected);
  });

  it('an email address is used only if the response that contains it also marks it as verified', async () => {
    provider.claims = { sub: 'new-two', email: 'ann@example.org', email_verified: undefined };
    provider.userInfo = { sub: 'new-two', email: 'new-two@example.org', email_verified: true };
    expect((await comeBack()).body).toMatchObject({ user: { email: 'new-two@example.org' } });
    provider.claims = { sub: 'new-three', email: 'ann@example.org', email_verified: undefined };
    provider.userInfo = { sub: 'new-three', email_verified: true };
    expect((await comeBack()).body).toMatchObject({ code: 'forbidden' });
  });

  it('the reason for a failure is logged, without data from the token', async () => {
    provider.claims = { nonce: 'another' };
    await comeBack();
    await waitForOutput(stele.printed, 'OAUTH_JWT_CLAIM_COMPARISON_FAILED');
    expect(stele.printed()).not.toMatch(/example\.org|eyJ|hush/);
  });
});
