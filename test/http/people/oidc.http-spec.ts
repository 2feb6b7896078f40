import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpBrowser } from '../../support/people/http-browser.js';
import { RealProvider } from '../../support/people/real-provider.js';
import { signIn } from '../../support/people/sign-in.js';
import { waitForOutput } from '../../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const SESSION = /^stele_session=(stele_session_[0-9A-Za-z]{49}); Max-Age=2592000; HttpOnly; SameSite=Lax; Path=\/$/;
const CALLBACK = '/v1/auth/idp/callback';

describe('Signing in with an identity provider', () => {
  let stele: Stele;
  let provider: RealProvider;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('oidc');
    remove = folder.remove;
    provider = await RealProvider.open({
      ann: { email: 'Ann@Example.org', email_verified: true, name: 'Ann Example' },
      bob: { email: 'bob@example.org', email_verified: true },
      carl: { email: 'carl@example.org', email_verified: false },
      dora: { email: 'dora@example.org', email_verified: 'true' },
      emma: {},
      finn: { email: 'not an address', email_verified: true },
    });
    stele = await startStele({ folder: folder.folder, env: provider.env });
    provider.serve(`http://localhost:${stele.port}`);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await provider?.close();
    await remove();
  });

  const here = (address: string) => address.replace('http://localhost:', 'http://127.0.0.1:');

  const begin = async (person: HttpBrowser, query = '') => {
    const answer = await person.open(`${stele.base}/v1/auth/idp${query}`);
    expect(answer.status).toBe(303);
    return new URL(answer.location ?? '');
  };
  const comeBack = async (person: HttpBrowser, login: string, query = '') =>
    here(await person.signInAt((await begin(person, query)).href, login));

  it('signing in takes a new user from the sign-in page to their list of sites', async () => {
    const page = await stele.raw.get('/sign-in').set('accept', HTML).expect(200);
    expect(page.text).toContain('<a href="/v1/auth/idp">Sign in with Example &amp; Co</a>');

    const ann = new HttpBrowser();
    const asked = await begin(ann);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'stele',
      response_type: 'code',
      redirect_uri: `http://localhost:${stele.port}${CALLBACK}`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const back = here(await ann.signInAt(asked.href, 'ann'));
    const answer = await ann.open(back, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect([answer.status, answer.location]).toEqual([303, `${stele.base}/sites`]);
    expect(answer.headers.get('set-cookie')).toMatch(SESSION);

    const cookie = ann.cookiesFor(stele.base);
    const me = await stele.api.get('/v1/me').set('cookie', cookie).expect(200);
    expect(me.body).toMatchObject({ email: 'ann@example.org', name: 'Ann Example' });
    expect((await ann.open(`${stele.base}/sites`)).text).toContain('Your sites');
  }, 180_000);

  it('an account is recognized by issuer and subject, even if its email address has changed', async () => {
    const [one, two] = [new HttpBrowser(), new HttpBrowser()];
    const sessions = [];
    for (const person of [one, two]) {
      await person.open(await comeBack(person, 'bob'));
      sessions.push(person.cookiesFor(stele.base));
      provider.accounts.bob = { email: 'robert@example.org', email_verified: false };
    }
    const [first, second] = await Promise.all(
      sessions.map((cookie) => stele.api.get('/v1/me').set('cookie', cookie).expect(200)),
    );
    expect(second?.body).toEqual(first?.body);
    expect(first?.body).toMatchObject({ email: 'bob@example.org' });
    expect(sessions[1]).not.toBe(sessions[0]);
  }, 180_000);

  it('a user who signed in by mail before keeps their account if the provider has verified their email address', async () => {
    provider.accounts.gina = { email: 'GINA@example.org', email_verified: true, name: 'Gi\u0000na\u202e' };
    const { user } = await signIn(stele, 'gina@example.org');
    const gina = new HttpBrowser();
    await gina.open(await comeBack(gina, 'gina'));
    const me = await stele.api.get('/v1/me').set('cookie', gina.cookiesFor(stele.base)).expect(200);
    expect(me.body).toMatchObject({ id: user.id, email: 'gina@example.org', name: 'Gi na' });
  }, 180_000);

  it.each([
    ['is not verified', 'carl'],
    ['is marked as verified by a string, not a boolean', 'dora'],
    ['is missing', 'emma'],
    ['is invalid', 'finn'],
  ])(
    'a new user is refused if their email address %s',
    async (_, login) => {
      const email = provider.accounts[login]?.email;
      if (email?.includes('@')) await signIn(stele, email);
      const person = new HttpBrowser();
      const answer = await person.open(await comeBack(person, login));
      expect(answer.status).toBe(403);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text).toContain('Example &amp; Co has not verified your email address');
      expect(person.cookiesFor(stele.base)).not.toContain('stele_session');
    },
    60_000,
  );

  it('an API client gets the session as JSON, and only once', async () => {
    const ann = new HttpBrowser();
    const back = await comeBack(ann, 'ann');
    const path = back.slice(stele.base.length);
    const cookie = ann.cookiesFor(stele.base);
    const answers = await Promise.all(Array.from({ length: 10 }, () => stele.api.get(path).set('cookie', cookie)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
    const done = answers.find(({ status }) => status === 200);
    expect(done?.body).toMatchObject({
      user: { email: 'ann@example.org' },
      token: expect.stringMatching(/^stele_session_[0-9A-Za-z]{49}$/),
    });
    for (const { body } of answers.filter(({ status }) => status === 400))
      expect(body).toMatchObject({ code: 'invalid_token' });
  }, 180_000);

  it('a code that was already used is refused, even with a new state', async () => {
    const ann = new HttpBrowser();
    const used = new URL(await comeBack(ann, 'ann'));
    expect((await ann.open(used.href)).status).toBe(303);
    const asked = await begin(ann);
    used.searchParams.set('state', asked.searchParams.get('state') ?? '');
    const again = await ann.open(used.href);
    expect(again.status).toBe(400);
    expect(again.text).toContain('no longer recognizes this sign-in');
  }, 180_000);

  it('a code issued to somebody else is refused', async () => {
    const [ann, mallory] = [new HttpBrowser(), new HttpBrowser()];
    const theirs = new URL(await comeBack(mallory, 'bob'));
    const asked = await begin(ann);
    theirs.searchParams.set('state', asked.searchParams.get('state') ?? '');
    expect((await ann.open(theirs.href)).status).toBe(400);
    expect(ann.cookiesFor(stele.base)).not.toContain('stele_session');
  }, 180_000);

  it('a sign-in can be completed only in the browser that started it', async () => {
    const [ann, mallory] = [new HttpBrowser(), new HttpBrowser()];
    const back = await comeBack(mallory, 'bob');
    expect((await ann.open(back)).status).toBe(400);
    await begin(ann);
    expect((await ann.open(back)).status).toBe(400);
    expect(ann.cookiesFor(stele.base)).not.toContain('stele_session');
    expect((await mallory.open(back)).status).toBe(303);
  }, 180_000);

  it('several sign-ins in one browser do not interfere', async () => {
    const ann = new HttpBrowser();
    const first = await comeBack(ann, 'ann', '?returnTo=/sites/one');
    const second = await begin(ann, '?returnTo=/sites/two');
    expect((await ann.open(first)).location).toBe(`${stele.base}/sites/one`);
    const back = here(await ann.signInAt(second.href, 'ann'));
    expect((await ann.open(back)).location).toBe(`${stele.base}/sites/two`);
  }, 180_000);

  it('after the sign-in, the browser returns to the approval page of the waiting terminal', async () => {
    const ann = new HttpBrowser();
    const asked = `/v1/auth/cli?challenge=${'c'.repeat(43)}&state=theirs&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2F`;
    const first = await ann.open(stele.base + asked);
    expect(first.location).toBe(`${stele.base}/sign-in`);
    expect((await ann.open(await comeBack(ann, 'ann'))).location).toBe(stele.base + asked);
  }, 180_000);

  it('HEAD and prefetch requests do not use up the sign-in', async () => {
    const ann = new HttpBrowser();
    const back = await comeBack(ann, 'ann');
    expect((await ann.open(back, { method: 'HEAD' })).status).toBe(400);
    expect((await ann.open(back, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(400);
    expect((await ann.open(back)).status).toBe(303);
    const head = await stele.raw.head('/v1/auth/idp').expect(200);
    expect(head.headers).not.toHaveProperty('set-cookie');
  }, 180_000);

  it('a sign-in expires after ten minutes', async () => {
    const ann = new HttpBrowser();
    const back = await comeBack(ann, 'ann');
    const kept = await stele.query(
      `select extract(epoch from max(expires_at) - now()) as seconds, count(*) filter (where state_hash !~ '^[0-9a-f]{64}$') as bare from sign_in_attempts`,
    );
    expect(Number(kept[0]?.seconds)).toBeGreaterThan(570);
    expect(Number(kept[0]?.seconds)).toBeLessThanOrEqual(600);
    expect(Number(kept[0]?.bare)).toBe(0);
    await stele.query(`update sign_in_attempts set expires_at = now()`);
    const late = await ann.open(back);
    expect(late.status).toBe(400);
    expect(late.text).toContain('took longer than 10 minutes');
  }, 180_000);

  it('a page explains that the user cancelled the sign-in', async () => {
    const ann = new HttpBrowser();
    const asked = await begin(ann);
    const back = new URL(`${stele.base}${CALLBACK}`);
    back.search = String(
      new URLSearchParams({
        state: asked.searchParams.get('state') ?? '',
        iss: provider.issuer,
        error: 'access_denied',
        error_description: '<script>alert(1)</script>',
      }),
    );
    const answer = await ann.open(back.href);
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('Example &amp; Co did not sign you in (access_denied)');
    expect(answer.text).not.toContain('script');
  });

  it('if another site sends the browser to the sign-in, the sign-in starts only after the user clicks', async () => {
    const ann = new HttpBrowser();
    for (const site of ['cross-site', 'same-site']) {
      const answer = await ann.open(`${stele.base}/v1/auth/idp?returnTo=/sites/one`, {
        headers: { 'sec-fetch-site': site },
      });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('<a href="/v1/auth/idp?returnTo=%2Fsites%2Fone">');
      expect(answer.headers.has('set-cookie')).toBe(false);
    }
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/%5cevil.example',
    '/%2F%2Fevil.example',
    '//us@evil.example',
    'javascript:alert(1)',
    '/s/evil/',
    '/v1/auth/verify?token=x',
    '/\t/evil.example',
    '/\r\nset-cookie: a=b',
  ])('after a sign-in, a redirect to %j is refused', async (returnTo) => {
    const query = new URLSearchParams({ returnTo });
    const { body } = await stele.api.get(`/v1/auth/idp?${query}`).expect(400);
    expect(body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'returnTo', message: expect.any(String) }],
    });
  });

  it.each([
    ['without a state', 'code=x'],
    ['with an empty state', 'code=x&state='],
    ['with two states', 'code=x&state=a&state=b'],
    ['with a very long state', `code=x&state=${'a'.repeat(300)}`],
  ])('a callback %s is refused, and the error names the field', async (_, query) => {
    const { body } = await stele.api.get(`${CALLBACK}?${query}`).expect(400);
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ path: 'state' }] });
  });

  it('a callback with a state that was never issued is refused', async () => {
    const ann = new HttpBrowser();
    await begin(ann);
    const { body } = await stele.api
      .get(`${CALLBACK}?code=x&state=made-up`)
      .set('cookie', ann.cookiesFor(stele.base))
      .expect(400);
    expect(body).toMatchObject({ code: 'invalid_token' });
  });

  it('the provider’s reason for a refusal is logged without tokens or addresses', async () => {
    await waitForOutput(stele.printed, /Identity provider.*invalid_grant/);
    const said = stele
      .printed()
      .split('\n')
      .filter((line) => line.includes('Identity provider'));
    expect(said.join('\n')).not.toMatch(/@|eyJ|stele_|code=|state=/);
  });
});

describe('An identity provider that expects the client secret in the request body', () => {
  it('the provider receives the secret in the body', async () => {
    const { folder, remove } = await temporaryFolder('oidc-post');
    const provider = await RealProvider.open({ ann: { email: 'ann@example.org', email_verified: true } });
    const stele = await startStele({ folder, env: provider.env });
    try {
      provider.serve(`http://localhost:${stele.port}`, 'client_secret_post');
      const ann = new HttpBrowser();
      const { location } = await ann.open(`${stele.base}/v1/auth/idp`);
      const back = await ann.signInAt(location ?? '', 'ann');
      expect((await ann.open(back.replace('localhost', '127.0.0.1'))).status).toBe(303);
    } finally {
      await stele.stop();
      await provider.close();
      await remove();
    }
  }, 180_000);
});

describe('A service without an identity provider', () => {
  it('without an identity provider, /v1/auth/idp returns 503 and the sign-in page does not link to it', async () => {
    const { folder, remove } = await temporaryFolder('oidc-none');
    const stele = await startStele({ folder });
    try {
      const { body, headers } = await stele.api.get('/v1/auth/idp').expect(503);
      expect(body).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('OIDC_ISSUER') });
      expect(headers['retry-after']).toBe('5');
      await stele.raw.get('/v1/auth/idp').set({ accept: HTML, 'sec-fetch-site': 'cross-site' }).expect(503);
      await stele.api.get(`${CALLBACK}?state=x&code=y`).expect(400);
      const page = await stele.raw.get('/sign-in').expect(200);
      expect(page.text).not.toContain('/v1/auth/idp');
    } finally {
      await stele.stop();
      await remove();
    }
  }, 180_000);
});
