import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

describe('Signing in by mail', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('sign-in');
    remove = folder.remove;
    stele = await startStele({ folder: folder.folder });
  }, 180_000);
  afterAll(async () => {
    await stele.stop();
    await remove();
  });

  /** Requests a link as a browser, and returns the browser's cookie. */
  const ask = async (email: string) => {
    const { headers } = await stele.api.post('/v1/auth/start').send({ email }).expect(200, { status: 'sent' });
    return String(headers['set-cookie']).split(';')[0] ?? '';
  };
  const refused = (code: string) => expect.objectContaining({ code });

  it('an API client gets the session only once', async () => {
    await ask('Ann@Example.org');
    const { path } = await newestMail(stele, 'ann@example.org');
    const { body, headers } = await stele.api.get(path).expect(200);
    expect(body).toEqual({
      user: {
        id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
        email: 'ann@example.org',
        name: null,
        createdAt: expect.any(String),
      },
      expiresAt: expect.any(String),
      token: expect.stringMatching(/^stele_session_[0-9A-Za-z]{49}$/),
    });
    expect(String(headers['set-cookie'])).toMatch(
      /^stele_session=stele_session_[0-9A-Za-z]{49}; Max-Age=2592000; HttpOnly; SameSite=Lax; Path=\/$/,
    );
    expect((await stele.api.get(path).expect(400)).body).toEqual(refused('invalid_token'));

    const bearer = { authorization: `Bearer ${(body as { token: string }).token}` };
    const me = await stele.api.get('/v1/me').set(bearer).expect(200);
    expect(me.body).toMatchObject({ email: 'ann@example.org', sites: 0, limits: { files: expect.any(Number) } });
    await stele.api
      .get('/v1/me')
      .set('cookie', `stele_session=${(body as { token: string }).token}`)
      .expect(200);
  });

  it('a user is recognized regardless of the letter case of their email address', async () => {
    const first = await signIn(stele, 'bob@example.org');
    const second = await signIn(stele, 'BOB@example.org');
    expect(second.user.id).toBe(first.user.id);
    expect(second.token).not.toBe(first.token);
  });

  it('of fifty concurrent uses of a sign-in link, exactly one succeeds', async () => {
    await ask('carl@example.org');
    const { path } = await newestMail(stele, 'carl@example.org');
    const answers = await Promise.all(Array.from({ length: 50 }, () => stele.api.get(path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
    expect(others.filter((code) => code !== 'invalid_token' && code !== 'conflict')).toEqual([]);
    for (const { status, headers } of answers) if (status === 409) expect(Number(headers['retry-after'])).toBe(5);
  });

  it('if a sign-in link is already being used, a second request with the link is told when to retry', async () => {
    let path = '';
    const useTaken = async (email: string) => {
      await ask(email);
      ({ path } = await newestMail(stele, email));
      await stele.query("update mailed_links set taken_at = now() - interval '57 seconds'");
      return stele.api.get(path);
    };
    let held = await useTaken('carla@example.org');
    // The link counts as taken for three more seconds, and can then be used again. Retries with another link in case
    // the request arrived later than that.
    for (let n = 0; n < 5 && held.status === 200; n++) held = await useTaken(`carla-${n}@example.org`);
    expect(held.status).toBe(409);
    expect(held.body).toMatchObject({ code: 'conflict', retryable: true });
    expect(Number(held.headers['retry-after'])).toBeLessThanOrEqual(3);
    await stele.raw.get(path).set('accept', HTML).expect(200);

    await stele.query('update mailed_links set taken_at = null');
    const [kept] = await stele.query(
      'select row_to_json(l) as row from mailed_links l order by expires_at desc limit 1',
    );
    const { body: first } = await stele.api.get(path).expect(200);
    await stele.api.get(path).expect(400);
    // Restores the link, as if the service had been killed before it deleted the link.
    await stele.query(
      `insert into mailed_links select * from json_populate_record(null::mailed_links, '${JSON.stringify(kept?.row)}')`,
    );
    const { body: second } = await stele.api.get(path).expect(200);
    await stele.api.get('/v1/me').set('authorization', `Bearer ${first.token}`).expect(401);
    const by = { authorization: `Bearer ${second.token}` };
    expect((await stele.api.get('/v1/me/sessions').set(by).expect(200)).body.items).toHaveLength(1);
  });

  it('opening a sign-in link in a browser that did not request it only asks for a click and does not use up the link', async () => {
    await ask('dora@example.org');
    const { path } = await newestMail(stele, 'dora@example.org');
    await stele.raw.head(path).expect(200);
    await stele.raw.get(path).set('sec-purpose', 'prefetch').expect(200);
    const page = await stele.raw
      .get(path)
      .set('accept', HTML)
      .expect(200)
      .expect('content-type', /text\/html/);
    expect(page.text).toContain('<form method="post" action="/v1/auth/verify">');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");

    const token = new URLSearchParams(path.split('?')[1]).get('token') ?? '';
    const cross = { accept: HTML, 'sec-fetch-site': 'cross-site' };
    await stele.raw.post('/v1/auth/verify').set(cross).type('form').send({ token }).expect(403);
    const done = await stele.raw
      .post('/v1/auth/verify')
      .set({ accept: HTML, 'sec-fetch-site': 'same-origin' })
      .type('form')
      .send({ token })
      .expect(303)
      .expect('location', '/sites');
    const cookie = String(done.headers['set-cookie']).split(';')[0] ?? '';
    const sites = await stele.raw.get('/sites').set({ cookie, accept: HTML }).expect(200);
    expect(sites.text).toContain('Your sites');
    const again = await stele.raw.post('/v1/auth/verify').set('accept', HTML).type('form').send({ token }).expect(400);
    expect(again.headers['content-type']).toContain('text/html');
  });

  it('a sign-in link opened in the browser that requested it signs the user in immediately', async () => {
    const cookie = await ask('emma@example.org');
    const { path } = await newestMail(stele, 'emma@example.org');
    await stele.raw.get(path).set({ accept: HTML, cookie, 'sec-fetch-site': 'cross-site' }).expect(200).expect(/<form/);
    await stele.raw.get(path).set({ accept: HTML, cookie, 'sec-fetch-site': 'none' }).expect(303);
  });

  it('the code in the mail works on another device, however it is typed', async () => {
    await ask('finn@example.org');
    const { code } = await newestMail(stele, 'finn@example.org');
    const wrong = await stele.api.post('/v1/auth/code').send({ email: 'finn@example.org', code: 'WRONGONE' });
    expect(wrong.body).toEqual(refused('invalid_token'));
    const typed = code.toLowerCase().replace('-', ' ');
    await stele.api.post('/v1/auth/code').send({ email: 'FINN@example.org', code: typed }).expect(200);
    const { path } = await newestMail(stele, 'finn@example.org');
    await stele.api.get(path).expect(400);
  });

  it('the code in the mail becomes invalid after five wrong attempts', async () => {
    await ask('gina@example.org');
    const { code, path } = await newestMail(stele, 'gina@example.org');
    for (let n = 0; n < 5; n++)
      await stele.api.post('/v1/auth/code').send({ email: 'gina@example.org', code: 'WRONGONE' }).expect(400);
    await stele.api.post('/v1/auth/code').send({ email: 'gina@example.org', code }).expect(400);
    await stele.api.get(path).expect(200);
  });

  it.each([
    ['an empty token', ''],
    ['an unsigned token', 'eyJhbGciOiJub25lIn0.eyJpZCI6IngifQ.'],
    ['a token with another signature', 'eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IngiLCJleHAiOjk5OTk5OTk5OTl9.AAAA'],
    ['a token of 500 characters', 'x'.repeat(500)],
  ])('a sign-in link with %s is refused', async (_, token) => {
    const { body } = await stele.api.get(`/v1/auth/verify?token=${token}`).expect(400);
    expect(body).toEqual(refused('invalid_token'));
  });

  it('a user can list their sessions, end another session, and sign out', async () => {
    const { bearer } = await signIn(stele, 'hugo@example.org');
    const other = await signIn(stele, 'hugo@example.org');
    const { body } = await stele.api.get('/v1/me/sessions').set(bearer).expect(200);
    const { items } = body as { items: { id: string; current: boolean }[] };
    expect(items.map(({ current }) => current)).toEqual([false, true]);
    await stele.api.delete(`/v1/me/sessions/${items[0]?.id}`).set(bearer).expect(204);
    expect((await stele.api.get('/v1/me').set(other.bearer).expect(401)).body).toEqual(refused('unauthenticated'));
    await stele.api.delete(`/v1/me/sessions/${items[0]?.id}`).set(bearer).expect(404);

    await stele.api.post('/v1/auth/logout').set(bearer).expect(204);
    await stele.api.get('/v1/me').set(bearer).expect(401);
    await stele.api.get('/v1/me').expect(401);
  });

  it('a signed-in user owns what they deploy, without an edit token', async () => {
    const ivy = await signIn(stele, 'ivy@example.org');
    const jon = await signIn(stele, 'jon@example.org');
    const made = await stele.api.post('/v1/deploy').set(ivy.bearer).type('html').send('<h1>Ivy</h1>').expect(200);
    const { slug } = made.body as { slug: string };
    expect(made.body).not.toHaveProperty('editToken');
    expect(made.body).not.toHaveProperty('claimUrl');
    await stele.api.patch(`/v1/deploy?slug=${slug}`).set(ivy.bearer).type('html').send('<h1>Two</h1>').expect(200);
    const forbidden = await stele.api
      .patch(`/v1/deploy?slug=${slug}`)
      .set(jon.bearer)
      .type('html')
      .send('<h1>Jon</h1>')
      .expect(403);
    expect(forbidden.body).toEqual(refused('forbidden'));
    await stele.api.get(`/v1/sites/${slug}/history`).set(jon.bearer).expect(403);
    const history = await stele.api.get(`/v1/sites/${slug}/history`).set(ivy.bearer).expect(200);
    expect((history.body as { items: { actor: unknown }[] }).items[0]?.actor).toEqual({
      kind: 'user',
      id: ivy.user.id,
      name: 'ivy@example.org',
    });
    const mine = await stele.api.get('/v1/me/sites').set(ivy.bearer).expect(200);
    expect(mine.body).toMatchObject({ total: 1, items: [{ slug, role: 'owner', files: 1, source: 'upload' }] });
    const temporary = await stele.api.post('/v1/deploy?expires=1h').set(ivy.bearer).type('html').send('<h1>x</h1>');
    expect(temporary.body).toEqual(refused('expires_needs_anonymous'));
    const visited = await stele.visit(slug).expect(200);
    expect(visited.headers).not.toHaveProperty('x-robots-tag');
  });
});
