import { HttpBrowser } from '../../people/http-browser.js';
import { HTML } from '../../people/terminal-sign-in.js';
import { type Verb, verb } from '../points/verb.js';
import { OPERATOR, type World } from '../points/world.js';
import { sharedSite, somebody } from './starting-points.js';

async function mailed(world: World) {
  const mark = world.mark();
  const email = `${mark}@example.org`;
  await world.api.post('/v1/auth/start').send({ email }).expect(200);
  return { mark, email, ...(await world.mailTo(email)) };
}

async function signedIn(world: World) {
  const mark = world.mark();
  return { mark, email: `${mark}@example.org`, by: await world.person(mark) };
}

/** Returns whether a user with this address exists, and the number of their sessions. */
const lookAtSessions = ({ stele }: World, { email }: { readonly email: string }) =>
  stele.query(
    `select count(distinct user_id) as people, count(session_id) as sessions
     from people left join sessions using (user_id) where email = '${email}'`,
  );

/** Signing in, signing out, and profiles. */
export const people: readonly Verb[] = [
  verb({
    operation: 'POST /v1/waitlist',
    prepare: async (world) => ({ mark: world.mark() }),
    ask: ({ api }, { mark }) => api.post('/v1/waitlist').send({ email: `${mark}@example.org` }),
    look: ({ stele }, { mark }) => stele.query(`select count(*) from waitlist where email like '${mark}%'`),
  }),
  verb({
    operation: 'POST /v1/auth/start',
    prepare: async (world) => ({ mark: world.mark() }),
    ask: ({ api }, { mark }) => api.post('/v1/auth/start').send({ email: `${mark}@example.org` }),
    again: 'another',
  }),
  verb({
    operation: 'GET /v1/auth/idp',
    prepare: async (world) => ({ mark: world.mark() }),
    ask: ({ stele }) => stele.raw.get('/v1/auth/idp').set('accept', HTML),
    again: 'another',
  }),
  verb({
    operation: 'GET /v1/auth/idp/callback',
    between: 'The account is created before the user is signed in.',
    prepare: async (world) => {
      const mark = world.mark();
      const email = `${mark}@example.org`;
      world.provider.accounts[mark] = { email, email_verified: true };
      const browser = new HttpBrowser();
      const asked = await browser.open(`${world.stele.base}/v1/auth/idp`);
      const back = new URL(await browser.signInAt(asked.location ?? '', mark));
      return { mark, email, path: back.pathname + back.search, cookie: browser.cookiesFor(world.stele.base) };
    },
    look: (world, given) => lookAtSessions(world, given),
    ask: ({ stele }, { path, cookie }) =>
      stele.raw.get(path).set({ accept: HTML, cookie, 'sec-fetch-site': 'cross-site' }),
    again: 'anew',
  }),
  ...(['get', 'post'] as const).map((method) =>
    verb({
      operation: `${method.toUpperCase()} /v1/auth/verify`,
      between: 'The account is created before the user is signed in.',
      prepare: mailed,
      look: (world, given) => lookAtSessions(world, given),
      ask: ({ api }, { path }) => {
        const { pathname, searchParams } = new URL(path, 'http://localhost');
        return method === 'get' ? api.get(path) : api.post(pathname).send({ token: searchParams.get('token') });
      },
    }),
  ),
  verb({
    operation: 'POST /v1/auth/code',
    between: 'The account is created before the user is signed in.',
    prepare: mailed,
    look: (world, given) => lookAtSessions(world, given),
    ask: ({ api }, { email, code }) => api.post('/v1/auth/code').send({ email, code }),
  }),
  verb({
    operation: 'POST /v1/auth/logout',
    prepare: somebody,
    ask: ({ api }, { by }) => api.post('/v1/auth/logout').set(by),
  }),
  verb({
    operation: 'PATCH /v1/me',
    prepare: somebody,
    ask: ({ api }, { by }) => api.patch('/v1/me').set(by).send({ name: 'Ann' }),
  }),
  verb({
    operation: 'DELETE /v1/me',
    prepare: async (world) => {
      const given = await sharedSite(world);
      await world.api.post('/v1/me/tokens').set(given.by).send({ name: 'ci', role: 'editor' }).expect(201);
      return { ...given, email: `${given.mark}@example.org` };
    },
    look: (world, given) => lookAtSessions(world, given),
    ask: ({ api }, { by }) => api.delete('/v1/me?sites=delete').set(by),
    settled: (world) =>
      world.until(async () => (await world.stele.query('select from people where going is not null')).length === 0),
  }),
  verb({
    operation: 'POST /v1/admin/sessions/end',
    prepare: signedIn,
    ask: ({ api }, { email }) => api.post('/v1/admin/sessions/end').set(OPERATOR).send({ user: email }),
    look: lookAtSessions,
  }),
  verb({
    operation: 'DELETE /v1/me/sessions/{id}',
    prepare: async (world) => {
      const given = await somebody(world);
      const other = await world.person(given.mark);
      const { body } = await world.api.get('/v1/me/sessions').set(other).expect(200);
      const { id } = body.items.find(({ current }: { current: boolean }) => current);
      return { ...given, id: String(id) };
    },
    ask: ({ api }, { by, id }) => api.delete(`/v1/me/sessions/${id}`).set(by),
  }),
];
