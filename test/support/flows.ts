import type { Witness } from './leaks.js';
import type { MailServer } from './mail-server.js';
import type { Requests, Stele } from './stele.js';

/** What a flow has in hand. Answers of `api` and `raw`, and every mail, are witnessed without its doing. */
export type Stage = {
  readonly stele: Stele;
  readonly api: Requests;
  readonly raw: Requests;
  readonly mails: MailServer;
  /** For what the flow itself makes and keeps to itself. */
  readonly witness: Witness;
};

type Flow = (stage: Stage) => Promise<unknown>;

const HTML = 'text/html,*/*;q=0.8';

const signedIn = async ({ api, mails }: Stage, email: string) => {
  await api.post('/v1/auth/start').send({ email }).expect(200);
  const { body } = await api.get(mails.newest(email).path).expect(200);
  return { authorization: `Bearer ${body.token}` };
};

const anonymousSite = async ({ api }: Stage, query = '') =>
  (await api.post(`/v1/deploy${query}`).type('html').send('<h1>x</h1>').expect(200)).body;

/**
 * Everything that hands out a token, a link, a code, a cookie, or takes an address. A new flow is one more function
 * here: `leaks.http-spec.ts` runs them all and then looks for what they were given.
 */
export const flows: Readonly<Record<string, Flow>> = {
  async 'a program signs in by link'(stage) {
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

  async 'somebody types the code, and types it wrong'({ api, mails }) {
    const email = 'code@example.org';
    await api.post('/v1/auth/start').send({ email }).expect(200);
    await api.post('/v1/auth/code').send({ email, code: 'WRONGONE' }).expect(400);
    await api
      .post('/v1/auth/code')
      .send({ email, code: mails.newest(email).code })
      .expect(200);
  },

  async 'links and bearers that are no good'({ api, raw, witness }) {
    const forged = witness.secret('forged bearer', `stele_session_${'Qx7'.repeat(16)}Z`);
    await api
      .get('/v1/me')
      .set({ authorization: `Bearer ${forged}` })
      .expect(401);
    const token = witness.secret('forged link', `eyJhbGciOiJIUzI1NiJ9.${'eHh4eHh4'.repeat(4)}.c2lnbmF0dXJl`);
    await api.get(`/v1/auth/verify?token=${token}`).expect(400);
    await raw.get(`/v1/claim/verify?token=${token}`).set('accept', HTML).expect(400);
    const email = witness.address('not-quite@example.org');
    await api.post('/v1/auth/start').send({ email, more: 1 }).expect(400);
    await raw.post('/v1/auth/start').set('content-type', 'application/json').send(`{"email":"${email}",`).expect(400);
  },

  async 'a link that is left unopened, and one that is mailed again'({ api }) {
    for (let n = 0; n < 2; n++) await api.post('/v1/auth/start').send({ email: 'waits@example.org' }).expect(200);
  },

  async 'an anonymous site is deployed, edited, read and left alone'(stage) {
    const site = await anonymousSite(stage, '?expires=1h');
    const holder = { 'x-svc-edit-token': site.editToken };
    await stage.api.patch(`/v1/deploy?slug=${site.slug}`).set(holder).type('html').send('<h1>y</h1>').expect(200);
    await stage.api.get(`/v1/sites/${site.slug}/history`).set(holder).expect(200);
    await stage.api.post('/v1/cli/preflight').set(holder).send({ slug: site.slug, files: [] });
    const wrong = stage.witness.secret('wrong edit token', `stele_edit_${'Ab9'.repeat(16)}Z`);
    const refused = stage.api.patch(`/v1/deploy?slug=${site.slug}`).set('x-svc-edit-token', wrong);
    await refused.type('html').send('z').expect(403);
    await stage.raw.get(`/claim/${site.slug}`).set('accept', HTML).expect(200);
  },

  async 'a deploy is retried by its key, anonymously and signed in'(stage) {
    const bearer = await signedIn(stage, 'retries@example.org');
    for (const who of [{}, bearer]) {
      const key = stage.witness.secret('idempotency key', `key-${Object.keys(who).length}-${process.hrtime.bigint()}`);
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
    stage.witness.address('late@example.org');
  },

  async 'a site is claimed by session, twice'(stage) {
    const bearer = await signedIn(stage, 'session@example.org');
    const { slug, editToken } = await anonymousSite(stage);
    const claim = () => stage.api.post('/v1/claim/session').set(bearer).send({ slug, editToken }).expect(200);
    await claim();
    await claim();
  },

  async 'somebody signed in deploys, redeploys, rolls back and signs out'(stage) {
    const bearer = await signedIn(stage, 'deploys@example.org');
    const made = await stage.api.post('/v1/deploy').set(bearer).type('html').send('1').expect(200);
    const { slug, deployId } = made.body;
    await stage.api.patch(`/v1/deploy?slug=${slug}`).set(bearer).type('html').send('2').expect(200);
    await stage.api.post(`/v1/sites/${slug}/rollback`).set(bearer).send({ deployId }).expect(200);
    await stage.api.get(`/v1/sites/${slug}/history`).set(bearer).expect(200);
    await stage.api.post('/v1/auth/logout').set(bearer).expect(204);
  },

  async 'people are invited, one of whom comes'(stage) {
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

  async 'somebody joins the waitlist'({ api, witness }) {
    await api
      .post('/v1/waitlist')
      .send({ email: witness.address('Waiting@Example.org') })
      .expect(200);
  },

  async 'mail cannot be had by everybody'({ api, mails, witness }) {
    mails.say(550, 1);
    await api
      .post('/v1/auth/start')
      .send({ email: witness.address('no-such-mailbox@example.org') })
      .expect(200);
    mails.say(452, 3);
    await api
      .post('/v1/auth/start')
      .send({ email: witness.address('later@example.org') })
      .expect(503);
  },

  async 'somebody is erased'(stage) {
    const bearer = await signedIn(stage, 'erased@example.org');
    await stage.api.post('/v1/auth/start').send({ email: 'erased@example.org' }).expect(200);
    await stage.api.delete('/v1/me').set(bearer).expect(204);
  },
};
