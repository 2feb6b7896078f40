import { verb } from '../faults/points/verb.js';
import { OPERATOR, type World } from '../faults/points/world.js';
import { HttpBrowser } from '../people/http-browser.js';
import { HTML } from '../people/terminal-sign-in.js';
import type { Operation } from './operation.js';
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

/** Returns whether a user with this email address exists, and the number of the user's sessions. */
const lookAtSessions = ({ stele }: World, { email }: { readonly email: string }) =>
  stele.query(
    `select count(distinct user_id) as people, count(session_id) as sessions
     from people left join sessions using (user_id) where email = '${email}'`,
  );

export const people: readonly Operation[] = [
  {
    operation: 'GET /v1/me',
    callers: [401, 200],
  },
  {
    operation: 'GET /v1/me/sessions',
    callers: [401, 200],
  },
  {
    operation: 'GET /v1/me/sites',
    callers: [401, 200],
  },
  {
    operation: 'POST /v1/waitlist',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: async (world) => ({ mark: world.mark() }),
        ask: ({ api }, { mark }) => api.post('/v1/waitlist').send({ email: `${mark}@example.org` }),
        look: ({ stele }, { mark }) => stele.query(`select count(*) from waitlist where email like '${mark}%'`),
      }),
    ],
  },
  {
    operation: 'POST /v1/auth/start',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: async (world) => ({ mark: world.mark() }),
        ask: ({ api }, { mark }) => api.post('/v1/auth/start').send({ email: `${mark}@example.org` }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'GET /v1/auth/idp',
    callers: [503, 503],
    verbs: [
      verb({
        prepare: async (world) => ({ mark: world.mark() }),
        ask: ({ stele }) => stele.raw.get('/v1/auth/idp').set('accept', HTML),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'GET /v1/auth/idp/callback',
    callers: [400, 400],
    verbs: [
      verb({
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
    ],
  },
  ...(['get', 'post'] as const).map(
    (method): Operation => ({
      operation: `${method.toUpperCase()} /v1/auth/verify`,
      callers: [400, 400],
      verbs: [
        verb({
          between: 'The account is created before the user is signed in.',
          prepare: mailed,
          look: (world, given) => lookAtSessions(world, given),
          ask: ({ api }, { path }) => {
            const { pathname, searchParams } = new URL(path, 'http://localhost');
            return method === 'get' ? api.get(path) : api.post(pathname).send({ token: searchParams.get('token') });
          },
        }),
      ],
    }),
  ),
  {
    operation: 'POST /v1/auth/code',
    callers: [400, 400],
    verbs: [
      verb({
        between: 'The account is created before the user is signed in.',
        prepare: mailed,
        look: (world, given) => lookAtSessions(world, given),
        ask: ({ api }, { email, code }) => api.post('/v1/auth/code').send({ email, code }),
      }),
    ],
  },
  {
    operation: 'POST /v1/auth/logout',
    elsewhere: 'It ends the session of the caller.',
    verbs: [
      verb({
        prepare: somebody,
        ask: ({ api }, { by }) => api.post('/v1/auth/logout').set(by),
      }),
    ],
  },
  {
    operation: 'PATCH /v1/me',
    callers: [401, 400],
    verbs: [
      verb({
        prepare: somebody,
        ask: ({ api }, { by }) => api.patch('/v1/me').set(by).send({ name: 'Ann' }),
      }),
    ],
  },
  {
    operation: 'DELETE /v1/me',
    callers: [401, 409],
    verbs: [
      verb({
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
    ],
  },
  {
    operation: 'POST /v1/admin/sessions/end',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: signedIn,
        ask: ({ api }, { email }) => api.post('/v1/admin/sessions/end').set(OPERATOR).send({ user: email }),
        look: lookAtSessions,
      }),
    ],
  },
  {
    operation: 'DELETE /v1/me/sessions/{id}',
    callers: [401, 404],
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await somebody(world);
          const other = await world.person(given.mark);
          const { body } = await world.api.get('/v1/me/sessions').set(other).expect(200);
          const { id } = body.items.find(({ current }: { current: boolean }) => current);
          return { ...given, id: String(id) };
        },
        ask: ({ api }, { by, id }) => api.delete(`/v1/me/sessions/${id}`).set(by),
      }),
    ],
  },
];
