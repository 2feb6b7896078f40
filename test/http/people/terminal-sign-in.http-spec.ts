import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newestMail } from '../../support/people/sign-in.js';
import { askPath, browserOf, HTML, makePkce, openTicket } from '../../support/people/terminal-sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

const ASK = '/v1/auth/cli';
const EXCHANGE = '/v1/auth/cli/exchange';
const redirect_uri = 'http://127.0.0.1:49152/callback?run=1';
const state = 'a-state&that=comes back'.replace(' ', '+');

const refused = (code: string) => expect.objectContaining({ code });
const SESSION = {
  token: expect.stringMatching(/^stele_session_[0-9A-Za-z]{49}$/),
  user: expect.objectContaining({ id: expect.stringMatching(/^usr_/) }),
  expiresAt: expect.any(String),
};

describe('Signing in from a terminal', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('terminal');
    remove = folder.remove;
    stele = await startStele({ folder: folder.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  const exchange = (body: object) => stele.api.post(EXCHANGE).set('user-agent', 'a-terminal/1.0').send(body);

  /** Starts a sign-in as a terminal on the browser's machine does, and presses the button `decision` as the user. */
  const answered = async (email: string, decision: string) => {
    const { verifier, challenge } = makePkce();
    const browser = await browserOf(stele, email);
    const { headers } = await browser.press(ASK, decision, { challenge, state, redirect_uri }).expect(303);
    const page = await browser.open(headers.location ?? '').expect(200);
    const onward = new URL(/^0;url=(.*)$/.exec(page.headers.refresh ?? '')?.[1] ?? '');
    return { verifier, challenge, browser, page, onward, complete: headers.location ?? '' };
  };

  describe('with a browser on the same machine', () => {
    it('the approval page shows which terminal requests access and from where, and has strict security headers', async () => {
      const { challenge } = makePkce();
      const ann = await browserOf(stele, 'ann@example.org');
      const page = await ann
        .open(askPath({ challenge, state, redirect_uri }))
        .set('user-agent', 'Browser/1 <script>')
        .expect(200);
      expect(page.text).toContain('ann@example.org');
      expect(page.text).toContain('port <strong>49152</strong>');
      expect(page.text).toContain('127.0.0.1');
      expect(page.text).toContain('Browser/1 &lt;script&gt;');
      expect(page.text).not.toContain('<script');
      expect(page.text).toContain(`<form method="post" action="${ASK}">`);
      expect(page.headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'self'; script-src \S+\/assets\/ \S+\/assets\/; form-action 'self'$/,
        ),
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
      });
      expect(page.headers).not.toHaveProperty('access-control-allow-origin');
      expect(await stele.query('select from terminal_sign_ins')).toHaveLength(0);
    });

    it('the browser is redirected with a code and the state, and the terminal gets its own session', async () => {
      const { verifier, onward, page, browser, complete } = await answered('ben@example.org', 'approve');
      expect(page.text).toContain('Approved');
      expect(onward.origin + onward.pathname).toBe('http://127.0.0.1:49152/callback');
      expect(onward.searchParams.get('run')).toBe('1');
      expect(onward.searchParams.get('state')).toBe(state);
      const code = onward.searchParams.get('code') ?? '';

      const { body, headers } = await exchange({ code, verifier }).expect(200);
      expect(body).toEqual(SESSION);
      expect(headers).not.toHaveProperty('set-cookie');
      const terminal = { authorization: `Bearer ${(body as { token: string }).token}` };
      const me = await stele.api.get('/v1/me').set(terminal).expect(200);
      expect(me.body).toMatchObject({ id: browser.user.id, email: 'ben@example.org' });

      const again = await exchange({ code, verifier }).expect(400);
      expect(again.body).toEqual(refused('invalid_token'));
      const reloaded = await browser.open(complete).expect(200);
      expect(reloaded.headers).not.toHaveProperty('refresh');
      expect(reloaded.text).toContain('Your terminal is signed in');
    });

    it('the terminal’s session is listed with its purpose, and can be ended separately', async () => {
      const { verifier, onward, browser } = await answered('cleo@example.org', 'approve');
      const { body } = await exchange({ code: onward.searchParams.get('code'), verifier }).expect(200);
      const terminal = { authorization: `Bearer ${(body as { token: string }).token}` };
      const list = await stele.api.get('/v1/me/sessions').set(terminal).expect(200);
      const { items } = list.body as { items: { id: string; purpose: string; client: string; current: boolean }[] };
      expect(items.map(({ purpose, current }) => [purpose, current])).toEqual([
        ['terminal', true],
        ['program', false],
      ]);
      expect(items[0]?.client).toBe('a-terminal/1.0');
      await stele.api.delete(`/v1/me/sessions/${items[0]?.id}`).set(browser.bearer).expect(204);
      await stele.api.get('/v1/me').set(terminal).expect(401);
      await stele.api.get('/v1/me').set(browser.bearer).expect(200);
    });

    it('the terminal is notified if the user denies access', async () => {
      const { verifier, onward, page } = await answered('dan@example.org', 'deny');
      expect(page.text).toContain('Denied');
      expect(Object.fromEntries(onward.searchParams)).toEqual({ run: '1', state, error: 'access_denied' });
      await exchange({ code: 'anything', verifier }).expect(400);
    });

    it('only the user who approved or denied the sign-in can see the result', async () => {
      const { complete } = await answered('eva@example.org', 'approve');
      const other = await browserOf(stele, 'fred@example.org');
      const page = await other.open(complete).expect(400);
      expect(page.headers).not.toHaveProperty('refresh');
      expect(page.headers['content-type']).toContain('text/html');
      await stele.raw.get(complete).set('accept', HTML).expect(401);
      expect((await stele.api.get(complete).expect(401)).body).toEqual(refused('unauthenticated'));
    });

    it('a wrong verifier is refused and does not consume the code', async () => {
      const { verifier, onward } = await answered('gus@example.org', 'approve');
      const code = onward.searchParams.get('code');
      const wrong = await exchange({ code, verifier: makePkce().verifier }).expect(400);
      expect(wrong.body).toEqual(refused('invalid_token'));
      await exchange({ ticket: code, verifier }).expect(400);
      await exchange({ code, verifier }).expect(200);
    });

    it('of fifty concurrent exchanges of a code, exactly one succeeds', async () => {
      const { verifier, onward } = await answered('hal@example.org', 'approve');
      const code = onward.searchParams.get('code');
      const answers = await Promise.all(Array.from({ length: 50 }, () => exchange({ code, verifier })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
      expect(others.filter((code) => code !== 'invalid_token' && code !== 'conflict')).toEqual([]);
    });

    it('the code expires after ten minutes', async () => {
      const { verifier, onward, browser, complete } = await answered('ina@example.org', 'approve');
      const code = onward.searchParams.get('code');
      const [row] = await stele.query(
        `select extract(epoch from max(expires_at) - now()) as seconds from terminal_sign_ins`,
      );
      expect(Number(row?.seconds)).toBeGreaterThan(540);
      expect(Number(row?.seconds)).toBeLessThanOrEqual(600);
      await stele.query('update terminal_sign_ins set expires_at = now()');
      expect((await exchange({ code, verifier }).expect(400)).body).toEqual(refused('invalid_token'));
      await browser.open(complete).expect(400);
    });

    it.each([
      ['no challenge', { state, redirect_uri }, 'challenge'],
      ['an invalid challenge', { challenge: 'x'.repeat(43), state, redirect_uri }, 'challenge'],
      ['no redirect_uri', { challenge: makePkce().challenge, state }, 'redirect_uri'],
      ['no state', { challenge: makePkce().challenge, redirect_uri }, 'state'],
      ['a state with a line break', { challenge: makePkce().challenge, state: 'a\r\nb', redirect_uri }, 'state'],
      [
        'an https redirect_uri',
        { challenge: makePkce().challenge, state, redirect_uri: 'https://127.0.0.1/' },
        'redirect_uri',
      ],
      [
        'a redirect_uri with a fragment',
        { challenge: makePkce().challenge, state, redirect_uri: `${redirect_uri}#a` },
        'redirect_uri',
      ],
      [
        'a redirect_uri to 127.0.0.1.evil.org',
        { challenge: makePkce().challenge, state, redirect_uri: 'http://127.0.0.1.evil.org/' },
        'redirect_uri',
      ],
    ])(
      'a request with %s is refused, both when the page is opened and when its form is submitted',
      async (_, asked: Record<string, string>, field) => {
        const jo = await browserOf(stele, 'jo@example.org');
        const page = await jo.open(askPath(asked)).expect(400);
        expect(page.headers['content-type']).toContain('text/html');
        expect(page.headers).not.toHaveProperty('refresh');
        expect(page.text).toContain(field);
        const pressed = await jo.press(ASK, 'approve', asked).set('accept', 'application/json').expect(400);
        expect(pressed.body).toMatchObject({ code: 'invalid_request', errors: [{ path: field }] });
      },
    );

    it('a request with two redirect addresses is refused, because the page could show only one of them', async () => {
      const path = `${askPath({ challenge: makePkce().challenge, state, redirect_uri })}&redirect_uri=http://evil.org`;
      await stele.raw.get(path).set('accept', HTML).expect(400);
    });

    it('an approval is accepted only from the service’s own page, and only from the user who saw that page', async () => {
      const { challenge } = makePkce();
      const asked = { challenge, state, redirect_uri };
      const kim = await browserOf(stele, 'kim@example.org');
      const before = await stele.query('select from terminal_sign_ins');
      for (const site of ['cross-site', 'same-site']) {
        const forged = await kim.press(ASK, 'approve', asked).set('sec-fetch-site', site).expect(403);
        expect(forged.text).toContain('can make changes only if they come from one of this service’s pages');
      }
      const lou = await browserOf(stele, 'lou@example.org');
      const { headers } = await kim.press(ASK, 'approve', { ...asked, as: lou.user.id }).expect(303);
      expect(headers.location).toBe(askPath(asked));
      const nobody = stele.raw.post(ASK).set('accept', HTML).type('form');
      const sent = await nobody.send({ ...asked, as: kim.user.id, decision: 'approve' }).expect(303);
      expect(sent.headers.location).toBe(askPath(asked));
      expect(await stele.query('select from terminal_sign_ins')).toHaveLength(before.length);
    });

    it('the new session of a terminal can’t approve another terminal', async () => {
      const { verifier, onward, challenge } = await answered('mia@example.org', 'approve');
      const { body } = await exchange({ code: onward.searchParams.get('code'), verifier }).expect(200);
      const { token, user } = body as { token: string; user: { id: string } };
      const answer = await stele.raw
        .post(ASK)
        .set('authorization', `Bearer ${token}`)
        .send({ challenge, state, redirect_uri, as: user.id, decision: 'approve' })
        .expect(403);
      expect(answer.body).toEqual(refused('forbidden'));
    });
  });

  describe('for a user who has to sign in first', () => {
    const cookieOf = (headers: Record<string, string | string[]>, name: string) =>
      [headers['set-cookie'] ?? []]
        .flat()
        .find((each) => each.startsWith(`${name}=`))
        ?.split(';')[0] ?? '';

    it('after a sign-in by mail, the browser that started it returns to the terminal’s request', async () => {
      const path = askPath({ challenge: makePkce().challenge, state, redirect_uri });
      const first = await stele.raw.get(path).set('accept', HTML).expect(303).expect('location', '/sign-in');
      expect(String(first.headers['set-cookie'])).toContain('; Max-Age=600; HttpOnly; SameSite=Lax; Path=/');
      const kept = cookieOf(first.headers, 'stele_return');
      const page = await stele.raw.get('/sign-in').set({ accept: HTML, cookie: kept }).expect(200);
      expect(page.text).toContain('After that, this browser returns to where you were.');

      const started = await stele.raw
        .post('/v1/auth/start')
        .set({ accept: HTML, cookie: kept })
        .type('form')
        .send({ email: 'nell@example.org' })
        .expect(200);
      const cookie = `${kept}; ${cookieOf(started.headers, 'stele_login')}`;
      const mail = await newestMail(stele, 'nell@example.org');
      const back = await stele.raw.get(mail.path).set({ accept: HTML, cookie }).expect(303).expect('location', path);
      const session = cookieOf(back.headers, 'stele_session');
      expect(cookieOf(back.headers, 'stele_return')).toBe('stele_return=');
      await stele.raw
        .get(path)
        .set({ accept: HTML, cookie: session })
        .expect(200)
        .expect(/nell@example\.org/);
    });

    it('if the sign-in mail is opened in another browser, the user is sent to their list of sites', async () => {
      await stele.api.post('/v1/auth/start').send({ email: 'olaf@example.org' }).expect(200);
      const { path } = await newestMail(stele, 'olaf@example.org');
      const token = new URLSearchParams(path.split('?')[1]).get('token') ?? '';
      const done = stele.raw.post('/v1/auth/verify').set('accept', HTML).type('form').send({ token });
      await done.expect(303).expect('location', '/sites');
    });

    it.each([
      ['another host', '//evil.example/'],
      ['another host with a backslash', '/\\evil.example/'],
      ['a full URL', 'https://evil.example/'],
      ['an empty address', ''],
    ])('a cookie set by another host can’t redirect the user to %s', async (_, value) => {
      const pat = await browserOf(stele, 'pat@example.org');
      const request = stele.raw.get('/sign-in').set({ accept: HTML, cookie: `${pat.cookie}; stele_return=${value}` });
      await request.expect(303).expect('location', '/sites');
    });

    it('the user can sign in with another account and return to the terminal’s request', async () => {
      const quin = await browserOf(stele, 'quin@example.org');
      const asked = { challenge: makePkce().challenge, state, redirect_uri };
      const { headers } = await quin.press(ASK, 'other', asked).expect(303).expect('location', '/sign-in');
      await stele.api.get('/v1/me').set(quin.bearer).expect(401);
      expect(String(headers['set-cookie'])).toContain('stele_session=; Max-Age=0');
      const rita = await browserOf(stele, 'rita@example.org');
      const kept = cookieOf(headers, 'stele_return');
      const back = stele.raw.get('/sign-in').set({ accept: HTML, cookie: `${rita.cookie}; ${kept}` });
      await back.expect(303).expect('location', askPath(asked));
    });
  });

  describe('on a machine without a browser', () => {
    it('the terminal gets a ticket and waits until the user approves the ticket on any device', async () => {
      const { ticket, verifier, userCode, url, path, interval, expiresAt } = await openTicket(stele);
      expect(ticket).toMatch(/^[\w-]{43}$/);
      expect(userCode).toMatch(/^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/);
      expect(url).toMatch(new RegExp(`^http://localhost:${stele.port}/terminal/[2-9a-hjkmnp-tv-z]{16}$`));
      expect(url).not.toContain(ticket);
      expect(interval).toBe(5);
      expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);

      const waiting = await exchange({ ticket, verifier }).expect(202);
      expect(waiting.body).toEqual({ status: 'pending' });
      expect(waiting.headers['retry-after']).toBe('5');

      const sam = await browserOf(stele, 'sam@example.org');
      const page = await sam.open(path).expect(200);
      for (const text of [userCode, 'sam@example.org', '127.0.0.1']) expect(page.text).toContain(text);
      const { headers } = await sam.press(path, 'approve').expect(303);
      const done = await sam.open(headers.location ?? '').expect(200);
      expect(done.text).toContain('Your terminal continues automatically');
      expect(done.headers).not.toHaveProperty('refresh');

      const { body } = await exchange({ ticket, verifier }).expect(200);
      expect(body).toEqual({ ...SESSION, user: expect.objectContaining({ id: sam.user.id }) });
      expect((await exchange({ ticket, verifier }).expect(400)).body).toEqual(refused('invalid_token'));
      expect((await sam.open(headers.location ?? '').expect(200)).text).toContain('Your terminal is signed in');
      expect((await sam.open(path).expect(303)).headers.location).toBe(headers.location);
    });

    it('the database contains nothing that could be used to approve a terminal', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      const kept = JSON.stringify(await stele.query('select * from terminal_sign_ins'));
      for (const secret of [ticket, verifier, path.split('/').pop() ?? '']) expect(kept).not.toContain(secret);
    });

    it('the approval page shows the terminal’s name, and its IP address if it is not on the user’s network', async () => {
      const { challenge } = makePkce();
      const { body } = await stele.api
        .get(askPath({ challenge }))
        .set({ accept: 'application/json', 'user-agent': 'tool/2 <b>' })
        .expect(200);
      await stele.query(`update terminal_sign_ins set address = '203.0.113.9' where challenge = '${challenge}'`);
      const tom = await browserOf(stele, 'tom@example.org');
      const { text } = await tom.open(new URL((body as { url: string }).url).pathname).expect(200);
      expect(text).toContain('tool/2 &lt;b&gt;');
      expect(text).toContain('203.0.113.9, <strong>not on your network</strong>');
    });

    it('a terminal that polls too often is slowed down, and still notified of the approval', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      await exchange({ ticket, verifier }).expect(202, { status: 'pending' });
      // Moves the last poll to the future, so that the next poll is too early even on a slow machine.
      await stele.query("update terminal_sign_ins set polled_at = now() + interval '1 minute'");
      await exchange({ ticket, verifier }).expect(202, { status: 'pending', slowDown: true });
      await stele.query("update terminal_sign_ins set polled_at = now() - interval '3 seconds'");
      await exchange({ ticket, verifier }).expect(202, { status: 'pending' });
      const una = await browserOf(stele, 'una@example.org');
      await una.press(path, 'approve').expect(303);
      await exchange({ ticket, verifier }).expect(200);
    });

    it('the terminal is notified of a denial, and a request without the verifier reveals nothing', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      const vic = await browserOf(stele, 'vic@example.org');
      await exchange({ ticket, verifier: makePkce().verifier }).expect(400);
      const { headers } = await vic.press(path, 'deny').expect(303);
      expect((await vic.open(headers.location ?? '').expect(200)).text).toContain('Denied');
      expect((await exchange({ ticket, verifier }).expect(403)).body).toEqual(refused('forbidden'));
      expect((await exchange({ ticket, verifier: makePkce().verifier }).expect(400)).body).toEqual(
        refused('invalid_token'),
      );
      await vic.press(path, 'approve').expect(303);
      await exchange({ ticket, verifier }).expect(403);
    });

    it('if two users approve a terminal at the same time, exactly one succeeds', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      const [wes, xia] = [await browserOf(stele, 'wes@example.org'), await browserOf(stele, 'xia@example.org')];
      const answers = await Promise.all([wes.press(path, 'approve'), xia.press(path, 'approve')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
      const { body } = await exchange({ ticket, verifier }).expect(200);
      const winner = answers[0]?.status === 303 ? wes : xia;
      expect(body).toMatchObject({ user: { id: winner.user.id } });
    });

    it('of fifty concurrent exchanges of a ticket, exactly one succeeds', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      const yan = await browserOf(stele, 'yan@example.org');
      await yan.press(path, 'approve').expect(303);
      const answers = await Promise.all(Array.from({ length: 50 }, () => exchange({ ticket, verifier })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const others = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
      expect(others.filter((code) => code !== 'invalid_token' && code !== 'conflict')).toEqual([]);
    });

    it('a ticket expires after ten minutes, whether or not it was approved', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      await stele.query('update terminal_sign_ins set expires_at = now()');
      const zoe = await browserOf(stele, 'zoe@example.org');
      const { text } = await zoe.open(path).expect(400);
      expect(text).toContain('<p>Start the sign-in again in your terminal.</p>');
      expect(text).not.toContain('href="/sign-in"');
      await zoe.press(path, 'approve').expect(400);
      expect((await exchange({ ticket, verifier }).expect(400)).body).toEqual(refused('invalid_token'));
    });

    it('a ticket can’t be exchanged after the user’s account was deleted', async () => {
      const { ticket, verifier, path } = await openTicket(stele);
      const abe = await browserOf(stele, 'abe@example.org');
      await abe.press(path, 'approve').expect(303);
      await stele.query(`delete from people where user_id = '${abe.user.id}'`);
      expect((await exchange({ ticket, verifier }).expect(400)).body).toEqual(refused('invalid_token'));
    });

    it('neither a page of another site nor a HEAD request can start a sign-in', async () => {
      const path = askPath({ challenge: makePkce().challenge });
      const json = { accept: 'application/json' };
      const before = await stele.query('select from terminal_sign_ins');
      await stele.api
        .get(path)
        .set({ ...json, 'sec-fetch-site': 'cross-site' })
        .expect(403);
      await stele.api
        .get(path)
        .set({ ...json, origin: 'https://evil.example' })
        .expect(403);
      await stele.api.head(path).set(json).expect(200);
      expect(await stele.query('select from terminal_sign_ins')).toHaveLength(before.length);
    });

    it('users who are not signed in are sent to the sign-in page, and then back to the ticket', async () => {
      const { path } = await openTicket(stele);
      const sent = await stele.raw.get(path).set('accept', HTML).expect(303).expect('location', '/sign-in');
      expect(String(sent.headers['set-cookie'])).toContain(`stele_return=${path};`);
    });

    it.each([
      ['an empty object', {}],
      ['both a code and a ticket', { code: 'a', ticket: 'b', verifier: makePkce().verifier }],
      ['neither a code nor a ticket', { verifier: makePkce().verifier }],
      ['no verifier', { ticket: 'a' }],
      ['a short verifier', { ticket: 'a', verifier: 'short' }],
      ['a numeric ticket', { ticket: 1, verifier: makePkce().verifier }],
      ['an unknown field', { ticket: 'a', verifier: makePkce().verifier, redirect_uri }],
      ['an array', []],
      ['a ticket with a NUL', { ticket: '\0', verifier: `${'a'.repeat(43)}\0` }],
    ])('an exchange with %s is refused', async (_, body) => {
      expect((await exchange(body).expect(400)).body).toEqual(refused('invalid_request'));
    });

    it.each([
      ['unknown', 'unknown'],
      ['a NUL', '\0'],
      ['a lone surrogate', '\ud800'],
    ])('a ticket that is %s is refused', async (_, ticket) => {
      const { body } = await exchange({ ticket, verifier: makePkce().verifier }).expect(400);
      expect(body).toEqual(refused('invalid_token'));
    });
  });
});

describe('Signing in from a terminal with rate limits', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const folder = await temporaryFolder('terminal-limits');
    remove = folder.remove;
    stele = await startStele({ folder: folder.folder, env: { STELE_RATE_LIMITS: 'on' } });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  it('a terminal can poll without limit, but failed exchanges and new tickets are limited', async () => {
    const { ticket, verifier } = await openTicket(stele);
    for (let n = 0; n < 25; n++) await stele.api.post(EXCHANGE).send({ ticket, verifier }).expect(202);
    for (let n = 0; n < 10; n++) await stele.api.post(EXCHANGE).send({ ticket: 'guessed', verifier }).expect(400);
    const { body, headers } = await stele.api.post(EXCHANGE).send({ ticket: 'guessed', verifier }).expect(429);
    expect(body).toEqual(refused('rate_limited'));
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    for (let n = 1; n < 20; n++) await openTicket(stele);
    const last = stele.api.get(askPath({ challenge: makePkce().challenge })).set('accept', 'application/json');
    expect((await last.expect(429)).body).toEqual(refused('rate_limited'));
  });
});
