import type { Requests, Stele } from '../service/stele.js';
import { HttpBrowser } from './http-browser.js';
import type { LeakDetector } from './leak-detector.js';
import type { MailServer } from './mail-server.js';
import type { RealProvider } from './real-provider.js';
import { NAVIGATION, visitorOf } from './site-visitor.js';
import { askPath, makePkce } from './terminal-sign-in.js';

/**
 * What a credential flow needs to run. Secrets in responses of `api` and `raw`, and in mails, are collected
 * automatically.
 */
export type Stage = {
  readonly stele: Stele;
  readonly api: Requests;
  readonly raw: Requests;
  readonly mails: MailServer;
  readonly provider: RealProvider;
  /**
   * Finds leaked secrets. A flow must register the secrets that it generates itself, such as verifiers and passwords.
   */
  readonly detector: LeakDetector;
};

type Flow = (stage: Stage) => Promise<unknown>;

const HTML = 'text/html,*/*;q=0.8';

const signedIn = async ({ api, mails }: Stage, email: string) => {
  await api.post('/v1/auth/start').send({ email }).expect(200);
  const { body } = await api.get(mails.newest(email).path).expect(200);
  return { authorization: `Bearer ${body.token}` };
};

const atPages = async (stage: Stage, email: string) => {
  const bearer = await signedIn(stage, email);
  const { body } = await stage.api.get('/v1/me').set(bearer).expect(200);
  const page = { ...bearer, accept: HTML, 'sec-fetch-site': 'same-origin' };
  const send = (path: string, decision: string, fields: object = {}) =>
    stage.raw
      .post(path)
      .set(page)
      .type('form')
      .send({ as: body.id, decision, ...fields });
  return {
    open: (path: string) => stage.raw.get(path).set(page),
    send,
    press: (path: string, decision: string, fields: object = {}) => send(path, decision, fields).expect(303),
  };
};

const siteFor = async ({ api }: Stage, bearer: { readonly authorization: string }, access: object) => {
  const { slug } = (await api.post('/v1/deploy').set(bearer).type('html').send('<h1>s</h1>').expect(200)).body;
  await api.post(`/v1/sites/${slug}/access`).set(bearer).send(access).expect(200);
  return slug as string;
};

const anonymousSite = async ({ api }: Stage, query = '') =>
  (await api.post(`/v1/deploy${query}`).type('html').send('<h1>x</h1>').expect(200)).body;

/**
 * Every flow that issues a credential or receives an address. Add new flows here: `leaks.http-spec.ts` runs all of
 * them, and then searches for everything that was issued.
 */
export const credentialFlows: Readonly<Record<string, Flow>> = {
  async 'an API client signs in by link'(stage) {
    const bearer = await signedIn(stage, 'Link@Example.org');
    await stage.api.get('/v1/me').set(bearer).expect(200);
    await stage.api.get('/v1/me/sessions').set(bearer).expect(200);
  },

  async 'a browser signs in by link, by button and by cookie'({ raw, mails }) {
    const page = { accept: HTML, 'sec-fetch-site': 'same-origin' };
    const asked = await raw
      .post('/v1/auth/start')
      .set(page)
      .type('form')
      .send({ email: 'page@example.org' })
      .expect(200);
    const cookie = String(asked.headers['set-cookie']).split(';')[0] ?? '';
    const { path } = mails.newest('page@example.org');
    await raw.head(path).expect(200);
    await raw.get(path).set({ accept: HTML }).expect(200);
    await raw.get(path).set({ accept: HTML, cookie, 'sec-fetch-site': 'none' }).expect(303);
    await raw.get(path).set({ accept: HTML, cookie, 'sec-fetch-site': 'none' }).expect(400);
    await raw.post('/v1/auth/start').set(page).type('form').send({ email: 'button@example.org' }).expect(200);
    const token = new URLSearchParams(mails.newest('button@example.org').path.split('?')[1]).get('token');
    const done = await raw.post('/v1/auth/verify').set(page).type('form').send({ token }).expect(303);
    const session = String(done.headers['set-cookie']).split(';')[0] ?? '';
    await raw.get('/sites').set({ accept: HTML, cookie: session }).expect(200);
    await raw
      .post('/v1/auth/logout')
      .set({ ...page, cookie: session })
      .type('form')
      .expect(303);
  },

  async 'a code is entered correctly and incorrectly'({ api, mails }) {
    const email = 'code@example.org';
    await api.post('/v1/auth/start').send({ email }).expect(200);
    await api.post('/v1/auth/code').send({ email, code: 'WRONGONE' }).expect(400);
    await api
      .post('/v1/auth/code')
      .send({ email, code: mails.newest(email).code })
      .expect(200);
  },

  async 'links and bearer tokens are invalid'({ api, raw, detector }) {
    const forged = detector.secret('forged bearer', `stele_session_${'Qx7'.repeat(16)}Z`);
    await api
      .get('/v1/me')
      .set({ authorization: `Bearer ${forged}` })
      .expect(401);
    const token = detector.secret('forged link', `eyJhbGciOiJIUzI1NiJ9.${'eHh4eHh4'.repeat(4)}.c2lnbmF0dXJl`);
    await api.get(`/v1/auth/verify?token=${token}`).expect(400);
    await raw.get(`/v1/claim/verify?token=${token}`).set('accept', HTML).expect(400);
    const email = detector.address('not-quite@example.org');
    await api.post('/v1/auth/start').send({ email, more: 1 }).expect(400);
    await raw.post('/v1/auth/start').set('content-type', 'application/json').send(`{"email":"${email}",`).expect(400);
  },

  async 'a link stays unopened, and another is mailed again'({ api }) {
    for (let n = 0; n < 2; n++) await api.post('/v1/auth/start').send({ email: 'waits@example.org' }).expect(200);
  },

  async 'an anonymous site is deployed, edited, read and abandoned'(stage) {
    const site = await anonymousSite(stage, '?expires=1h');
    const holder = { 'x-svc-edit-token': site.editToken };
    await stage.api.patch(`/v1/deploy?slug=${site.slug}`).set(holder).type('html').send('<h1>y</h1>').expect(200);
    await stage.api.get(`/v1/sites/${site.slug}/history`).set(holder).expect(200);
    await stage.api.post('/v1/cli/preflight').set(holder).send({ slug: site.slug, files: [] });
    const wrong = stage.detector.secret('wrong edit token', `stele_edit_${'Ab9'.repeat(16)}Z`);
    const refused = stage.api.patch(`/v1/deploy?slug=${site.slug}`).set('x-svc-edit-token', wrong);
    await refused.type('html').send('z').expect(403);
    await stage.raw.get(`/claim/${site.slug}`).set('accept', HTML).expect(200);
  },

  async 'a deploy is retried by its key, anonymously and signed in'(stage) {
    const bearer = await signedIn(stage, 'retries@example.org');
    for (const who of [{}, bearer]) {
      const key = stage.detector.secret(
        'idempotency key',
        `key-of-a-repeated-deploy-${Object.keys(who).length}-${process.hrtime.bigint()}`,
      );
      const send = () =>
        stage.api.post('/v1/deploy').set(who).set('idempotency-key', key).type('html').send('<h1>k</h1>').expect(200);
      await send();
      await send();
    }
  },

  async 'a site is claimed by mail'(stage) {
    const { slug, editToken } = await anonymousSite(stage);
    const email = 'claims@example.org';
    await stage.api.post('/v1/claim/start').send({ slug, editToken, email }).expect(200);
    const { path } = stage.mails.newest(email);
    await stage.raw.get(path).set('accept', HTML).expect(200);
    await stage.api.get(path).expect(200);
    await stage.api.post('/v1/claim/start').send({ slug, editToken, email: 'late@example.org' }).expect(409);
    stage.detector.address('late@example.org');
  },

  async 'a site is claimed by session, twice'(stage) {
    const bearer = await signedIn(stage, 'session@example.org');
    const { slug, editToken } = await anonymousSite(stage);
    const claim = () => stage.api.post('/v1/claim/session').set(bearer).send({ slug, editToken }).expect(200);
    await claim();
    await claim();
  },

  async 'a signed-in person deploys, redeploys, rolls back and signs out'(stage) {
    const bearer = await signedIn(stage, 'deploys@example.org');
    const made = await stage.api.post('/v1/deploy').set(bearer).type('html').send('1').expect(200);
    const { slug, deployId } = made.body;
    await stage.api.patch(`/v1/deploy?slug=${slug}`).set(bearer).type('html').send('2').expect(200);
    await stage.api.post(`/v1/sites/${slug}/rollback`).set(bearer).send({ deployId }).expect(200);
    await stage.api.get(`/v1/sites/${slug}/history`).set(bearer).expect(200);
    await stage.api.post('/v1/auth/logout').set(bearer).expect(204);
  },

  async 'people are invited, and one joins'(stage) {
    const bearer = await signedIn(stage, 'invites@example.org');
    const { slug } = (await stage.api.post('/v1/deploy').set(bearer).type('html').send('i').expect(200)).body;
    for (const email of ['comes@example.org', 'stays-away@example.org'])
      await stage.api.post(`/v1/sites/${slug}/invites`).set(bearer).send({ email, role: 'editor' }).expect(201);
    await stage.api.get(`/v1/sites/${slug}/invites`).set(bearer).expect(200);
    const { path } = stage.mails.newest('comes@example.org');
    await stage.raw.get(path).set('accept', HTML).expect(200);
    await stage.api.get(path).expect(200);
    await stage.api.get(`/v1/sites/${slug}/members`).set(bearer).expect(200);
    await stage.api.get(`/v1/sites/${slug}/history`).set(bearer).expect(200);
  },

  async 'a person joins the waitlist'({ api, detector }) {
    await api
      .post('/v1/waitlist')
      .send({ email: detector.address('Waiting@Example.org') })
      .expect(200);
  },

  async 'mail can’t be delivered'({ api, mails, detector }) {
    mails.say(550, 1);
    await api
      .post('/v1/auth/start')
      .send({ email: detector.address('no-such-mailbox@example.org') })
      .expect(200);
    mails.say(452, 3);
    await api
      .post('/v1/auth/start')
      .send({ email: detector.address('later@example.org') })
      .expect(503);
  },

  async 'a terminal is approved or denied by a browser on the same machine'(stage) {
    const { api, detector } = stage;
    const person = await atPages(stage, 'terminal@example.org');
    for (const decision of ['approve', 'deny']) {
      const { verifier, challenge } = makePkce();
      detector.secret('verifier of a terminal', verifier);
      const asked = { challenge, state: 'of-a-terminal', redirect_uri: 'http://127.0.0.1:49152/callback' };
      await person.open(askPath(asked)).expect(200);
      const { headers } = await person.press('/v1/auth/cli', decision, asked);
      const of = new URLSearchParams(headers.location?.split('?')[1]).get('of') ?? '';
      const code = detector.secret('code of a terminal', of);
      await person.open(headers.location ?? '').expect(200);
      const wrong = detector.secret('wrong verifier', makePkce().verifier);
      await api.post('/v1/auth/cli/exchange').send({ code, verifier: wrong }).expect(400);
      const exchanged = decision === 'approve' ? 200 : 403;
      await api.post('/v1/auth/cli/exchange').send({ code, verifier }).expect(exchanged);
      await person.open(headers.location ?? '').expect(200);
    }
  },

  async 'terminals are approved by ticket, denied, and kept waiting'(stage) {
    const { api, detector } = stage;
    const person = await atPages(stage, 'ticket@example.org');
    for (const decision of ['approve', 'deny', null]) {
      const { verifier, challenge } = makePkce();
      detector.secret('verifier of a ticket', verifier);
      const { body } = await api.get(askPath({ challenge })).set('accept', 'application/json').expect(200);
      const ticket = detector.secret('ticket', body.ticket);
      const path = new URL(body.url).pathname;
      detector.secret('page of a ticket', path.split('/').at(-1) ?? '');
      await api.post('/v1/auth/cli/exchange').send({ ticket, verifier }).expect(202);
      await person.open(path).expect(200);
      if (decision === null) continue;
      const { headers } = await person.press(path, decision);
      await person.open(headers.location ?? '').expect(200);
      const exchanged = decision === 'approve' ? 200 : 403;
      await api.post('/v1/auth/cli/exchange').send({ ticket, verifier }).expect(exchanged);
    }
  },

  async 'a connected app is approved, refreshes its token, and is removed'(stage) {
    const { raw, stele, detector } = stage;
    const person = await atPages(stage, 'program@example.org');
    const redirect_uri = 'https://agent.example/callback';
    const registered = await raw
      .post('/oauth/register')
      .send({ redirect_uris: [redirect_uri] })
      .expect(201);
    const { client_id } = registered.body;
    const { verifier, challenge } = makePkce();
    detector.secret('verifier of a connected app', verifier);
    const asked = { response_type: 'code', client_id, redirect_uri, state: 'of-a-program' };
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' };
    const begun = await raw
      .get('/oauth/authorize')
      .query({ ...asked, ...proof, resource: `http://localhost:${stele.port}/mcp` })
      .expect(303);
    const cookie = [begun.headers['set-cookie'] ?? []].flat().map((each) => each.split(';')[0]);
    const page = begun.headers.location ?? '';
    await person.open(page).set('cookie', cookie.join('; ')).expect(200);
    const { headers } = await person.send(page, 'approve').set('cookie', cookie.join('; ')).expect(200);
    const next = String(headers.refresh).replace('0;url=', '');
    const sent = await raw.get(next).set('cookie', cookie.join('; ')).expect(303);
    const code = new URL(sent.headers.location ?? '').searchParams.get('code') ?? '';
    detector.secret('code of a connected app', code);
    const token = (fields: object) =>
      raw
        .post('/oauth/token')
        .type('form')
        .send({ client_id, ...fields });
    const given = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri };
    const { body: first } = await token(given).expect(200);
    const { refresh_token } = first;
    const { body: second } = await token({ grant_type: 'refresh_token', refresh_token }).expect(200);
    await token({ grant_type: 'refresh_token', refresh_token: `${second.refresh_token}x` }).expect(400);
    await raw.get('/v1/me').set('authorization', `Bearer ${second.access_token}`).expect(401);
    await raw.post('/oauth/revoke').type('form').send({ client_id, token: second.access_token }).expect(200);
  },

  async 'a person signs in at the provider, and one without a verified address is refused'({
    stele,
    provider,
    detector,
  }) {
    for (const [login, status] of [
      ['idp-ann', 303],
      ['idp-bob', 403],
    ] as const) {
      const person = new HttpBrowser();
      detector.address(provider.accounts[login]?.email ?? '');
      const begun = await person.open(`${stele.base}/v1/auth/idp?returnTo=/sites`);
      const asked = new URL(begun.location ?? '');
      for (const name of ['state', 'nonce'])
        detector.secret(`${name} of a sign-in at the provider`, asked.searchParams.get(name) ?? '');
      const ofBrowser = () => {
        for (const pair of person.cookiesFor(stele.base).split('; '))
          if (pair) detector.secret(`cookie ${pair.split('=')[0]}`, pair.slice(pair.indexOf('=') + 1));
      };
      ofBrowser();
      const back = new URL(await person.signInAt(asked.href, login));
      detector.secret('code of the provider', back.searchParams.get('code') ?? '');
      const done = await person.open(stele.base + back.pathname + back.search);
      if (done.status !== status) throw new Error(`${done.status} ${done.text}`);
      ofBrowser();
      // Opens the link a second time, after it was used.
      await person.open(stele.base + back.pathname + back.search);
    }
  },

  async 'visitors enter a right and a wrong password of a site'(stage) {
    const { stele, detector } = stage;
    const bearer = await signedIn(stage, 'doors@example.org');
    const password = detector.secret('password of a site', 'Correct-Horse-7 battery');
    const slug = await siteFor(stage, bearer, { visibility: 'password', password });
    const visitor = visitorOf(stele, `${slug}.localhost:${stele.port}`);
    await visitor.knock({ password: detector.secret('wrong password of a site', 'Wrong-Horse-8 battery') });
    const entered = await visitor.byPassword(password);
    detector.secret('cookie of who knows the password', cookieValue(entered.cookie));
    await visitor.visit('/', { ...NAVIGATION, ...entered });
    const next = detector.secret('next password of a site', 'Next-Horse-9 battery');
    const access = { visibility: 'password', password: next };
    await stage.api.post(`/v1/sites/${slug}/access`).set(bearer).send(access).expect(200);
    await visitor.visit('/', { ...NAVIGATION, ...entered });
  },

  async 'visitors of a site are a member and a person with an invalid ticket'(stage) {
    const { stele, detector } = stage;
    const bearer = await signedIn(stage, 'visits@example.org');
    const slug = await siteFor(stage, bearer, { visibility: 'members' });
    const visitor = visitorOf(stele, `${slug}.localhost:${stele.port}`);
    const ticket = await visitor.ticketFor(bearer);
    detector.secret('ticket of a member', new URLSearchParams(ticket.split('?')[1]).get('ticket') ?? '');
    const entered = await visitor.visit(ticket, NAVIGATION);
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
    detector.secret('cookie of a member', cookieValue(cookie));
    await visitor.visit('/', { ...NAVIGATION, cookie });
    // Uses the ticket a second time. It is valid only once.
    await visitor.visit(ticket, NAVIGATION);
    await visitor.visit(`/.stele/enter?ticket=${detector.secret('forged ticket', 'Zk4'.repeat(20))}`, NAVIGATION);
  },

  async 'a secret is set, replaced, refused and deleted'(stage) {
    const { api, detector } = stage;
    const bearer = await signedIn(stage, 'secrets@example.org');
    const { slug } = (await api.post('/v1/deploy').set(bearer).type('html').send('s').expect(200)).body;
    const put = (name: string, value: string, more = {}) =>
      api
        .put(`/v1/sites/${slug}/secrets/${name}`)
        .set(bearer)
        .send({ value: detector.secret(`value of ${name}`, value), ...more });
    await put('KEPT', 'kept-value-Tq81').expect(200);
    await put('KEPT', 'kept-value-Tq82').expect(200);
    await put('GONE', 'gone-value-Tq83').expect(200);
    await put('REFUSED', 'refused-value-Tq84', { more: 1 }).expect(400);
    await put('not-a-name', 'refused-value-Tq85').expect(400);
    await api.delete(`/v1/sites/${slug}/secrets/GONE`).set(bearer).expect(204);
    await api.get(`/v1/sites/${slug}/history`).set(bearer).expect(200);
  },

  async 'an invited member is erased'(stage) {
    const owner = await signedIn(stage, 'keeps-a-site@example.org');
    const bearer = await signedIn(stage, 'came-and-went@example.org');
    const slug = await siteFor(stage, owner, { visibility: 'members' });
    await stage.api
      .post(`/v1/sites/${slug}/invites`)
      .set(owner)
      .send({ email: 'came-and-went@example.org', role: 'viewer' })
      .expect(201);
    await stage.api.get(stage.mails.newest('came-and-went@example.org').path).expect(200);
    await stage.api.delete('/v1/me').set(bearer).expect(204);
    stage.detector.forgotten('came-and-went@example.org');
    await stage.api.get(`/v1/sites/${slug}/history`).set(owner).expect(200);
    await stage.api.get(`/v1/sites/${slug}/members`).set(owner).expect(200);
  },

  async 'a person is erased'(stage) {
    const bearer = await signedIn(stage, 'erased@example.org');
    await stage.api.post('/v1/auth/start').send({ email: 'erased@example.org' }).expect(200);
    await stage.api.delete('/v1/me').set(bearer).expect(204);
    stage.detector.forgotten('erased@example.org');
  },
};

const cookieValue = (cookie = '') => cookie.slice(cookie.indexOf('=') + 1);
