import { AgentProgram, browserOfPerson } from '../../people/agent-program.js';
import { HttpBrowser } from '../../people/http-browser.js';
import { makePkce, openTicket } from '../../people/terminal-sign-in.js';
import { type Verb, verb } from '../points/verb.js';
import type { World } from '../points/world.js';
import { sharedSite, somebody } from './starting-points.js';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

/** Somebody who was mailed a link. */
async function mailed(world: World) {
  const mark = world.mark();
  const email = `${mark}@example.org`;
  await world.api.post('/v1/auth/start').send({ email }).expect(200);
  return { mark, email, ...(await world.mailTo(email)) };
}

/** How many people have that address, and how many sessions they have. */
const lookAtSessions = ({ stele }: World, { email }: { readonly email: string }) =>
  stele.query(
    `select count(distinct user_id) as people, count(session_id) as sessions
     from people left join sessions using (user_id) where email = '${email}'`,
  );

/** Somebody with a browser who is asked for a terminal. */
async function askedForTerminal(world: World) {
  const given = await somebody(world);
  const { verifier, challenge } = makePkce();
  const { body } = await world.api.get('/v1/me').set(given.by).expect(200);
  const asked = { challenge, state: 'of-a-terminal', redirect_uri: 'http://127.0.0.1:49152/callback' };
  return { ...given, verifier, fields: { ...asked, as: String(body.id), decision: 'approve' } };
}
type AskedForTerminal = Awaited<ReturnType<typeof askedForTerminal>>;

const approve = ({ raw }: World['stele'], { by, fields }: AskedForTerminal) =>
  raw
    .post('/v1/auth/cli')
    .set({ ...by, accept: HTML, 'sec-fetch-site': 'same-origin' })
    .type('form')
    .send(fields);

/** A program that somebody has let in. */
async function letIn(world: World) {
  const mark = world.mark();
  const email = `${mark}@example.org`;
  const { bearer, browser } = await browserOfPerson(world.stele, email);
  const program = await AgentProgram.registered(world.stele);
  return { mark, email, by: bearer, browser, program };
}

/** Signing in and out, what people are called, and what they let in. */
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
    between: 'Somebody is known before they are signed in.',
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
      between: 'Somebody is known before they are signed in.',
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
    between: 'Somebody is known before they are signed in.',
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
  verb({
    operation: 'GET /v1/auth/cli',
    prepare: async (world) => ({ mark: world.mark(), ...makePkce() }),
    ask: ({ api }, { challenge }) => api.get(`/v1/auth/cli?challenge=${challenge}`).set('accept', 'application/json'),
    look: ({ stele }, { challenge }) =>
      stele.query(`select count(*) from terminal_sign_ins where challenge = '${challenge}'`),
    again: 'another',
  }),
  verb({
    operation: 'POST /v1/auth/cli',
    prepare: askedForTerminal,
    ask: ({ stele }, given) => approve(stele, given),
    look: ({ stele }, { fields }) =>
      stele.query(
        `select standing, count(*) from terminal_sign_ins where challenge = '${fields.challenge}' group by 1`,
      ),
    again: 'another',
  }),
  verb({
    operation: 'POST /v1/auth/cli/exchange',
    way: 'by a code',
    prepare: async (world) => {
      const given = await askedForTerminal(world);
      const { headers } = await approve(world.stele, given).expect(303);
      const complete = String(headers.location).replace(/^http:\/\/[^/]+/, '');
      const page = await world.stele.raw
        .get(complete)
        .set({ ...given.by, accept: HTML, 'sec-fetch-site': 'same-origin' });
      const onward = /0;url=(.+)$/.exec(page.headers.refresh ?? '')?.[1] ?? '';
      return { ...given, code: new URL(onward).searchParams.get('code') };
    },
    ask: ({ api }, { code, verifier }) => api.post('/v1/auth/cli/exchange').send({ code, verifier }),
  }),
  verb({
    operation: 'POST /v1/auth/cli/exchange',
    way: 'by a ticket',
    prepare: async (world) => {
      const given = await somebody(world);
      const { ticket, verifier, path } = await openTicket(world.stele);
      const page = { ...given.by, accept: HTML, 'sec-fetch-site': 'same-origin' };
      const { body } = await world.api.get('/v1/me').set(given.by).expect(200);
      await world.stele.raw.post(path).set(page).type('form').send({ as: body.id, decision: 'approve' }).expect(303);
      return { ...given, ticket, verifier };
    },
    ask: ({ api }, { ticket, verifier }) => api.post('/v1/auth/cli/exchange').send({ ticket, verifier }),
  }),
  verb({
    operation: 'POST /oauth/register',
    prepare: async (world) => ({ mark: world.mark() }),
    ask: ({ stele }, { mark }) =>
      stele.raw.post('/oauth/register').send({ redirect_uris: ['https://agent.example/callback'], client_name: mark }),
    look: ({ stele }, { mark }) =>
      stele.query(`select count(*) from agent_clients where metadata::text like '%${mark}%'`),
    again: 'another',
  }),
  verb({
    operation: 'POST /oauth/token',
    way: 'by a code',
    prepare: async (world) => {
      const given = await letIn(world);
      return { ...given, ...(await given.program.codeFrom(given.browser)) };
    },
    ask: (_, { program, code, verifier }) => program.exchange({ code, code_verifier: verifier }),
    // A second try counts as theft, and ends the grant (docs/decisions/0085-programs-act-by-grants.md).
    again: 'another',
  }),
  verb({
    operation: 'POST /oauth/token',
    way: 'by a refresh token',
    prepare: async (world) => {
      const given = await letIn(world);
      return { ...given, tokens: await given.program.letIn(given.browser) };
    },
    ask: (_, { program, tokens }) => program.refresh(tokens.refresh_token),
    again: 'another',
  }),
  verb({
    operation: 'POST /oauth/revoke',
    prepare: async (world) => {
      const given = await letIn(world);
      return { ...given, tokens: await given.program.letIn(given.browser) };
    },
    ask: (_, { program, tokens }) => program.revoke(tokens.refresh_token),
  }),
  verb({
    operation: 'DELETE /v1/me/grants/{id}',
    prepare: async (world) => {
      const given = await letIn(world);
      await given.program.letIn(given.browser);
      const { body } = await world.api.get('/v1/me/grants').set(given.by).expect(200);
      return { ...given, id: String(body.items[0].id) };
    },
    ask: ({ api }, { by, id }) => api.delete(`/v1/me/grants/${id}`).set(by),
  }),
];
