import { hash } from 'node:crypto';
import { verb } from '../faults/points/verb.js';
import type { World } from '../faults/points/world.js';
import { AgentProgram, browserOfPerson } from '../people/agent-program.js';
import { HTML, makePkce, openTicket } from '../people/terminal-sign-in.js';
import type { Operation } from './operation.js';
import { somebody } from './starting-points.js';

/** Creates a terminal that has requested approval, and a user with a browser. */
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

/** Creates a user with a browser, and a terminal that has no browser and waits for the user's approval. */
async function ticketFor(world: World) {
  const given = await somebody(world);
  const { ticket, verifier, path } = await openTicket(world.stele);
  const { body } = await world.api.get('/v1/me').set(given.by).expect(200);
  return { ...given, ticket, verifier, challenge: hash('sha256', verifier, 'base64url'), path, id: String(body.id) };
}

const answerTicket = ({ raw }: World['stele'], { by, path, id }: Awaited<ReturnType<typeof ticketFor>>) =>
  raw
    .post(path)
    .set({ ...by, accept: HTML, 'sec-fetch-site': 'same-origin' })
    .type('form')
    .send({ as: id, decision: 'approve' });

/** Opens the consent page of a connected app as a signed-in user. */
async function asksToBeLetIn(world: World) {
  const given = await letIn(world);
  const { address, page } = await given.program.asked(given.browser);
  const as = /name="as" value="(\w+)"/.exec(page.text)?.[1] ?? '';
  const headers = { accept: HTML, 'sec-fetch-site': 'same-origin', cookie: given.browser.cookiesFor(address) };
  return { ...given, path: new URL(address).pathname, headers, as };
}

const consent = ({ raw }: World['stele'], { path, headers, as }: Awaited<ReturnType<typeof asksToBeLetIn>>) =>
  raw.post(path).set(headers).type('form').send({ as, decision: 'approve', sites: 'all' });

/** Registers a connected app, and creates a signed-in user with a browser. */
async function letIn(world: World) {
  const mark = world.mark();
  const email = `${mark}@example.org`;
  const { bearer, browser } = await browserOfPerson(world.stele, email);
  const program = await AgentProgram.registered(world.stele);
  return { mark, email, by: bearer, browser, program };
}

/** Operations that give terminals and connected apps access to a user's account, or revoke it. */
export const lettingIn: readonly Operation[] = [
  {
    operation: 'GET /v1/me/grants',
    callers: [401, 200],
  },
  {
    operation: 'GET /v1/auth/cli/complete',
    callers: [401, 400],
  },
  {
    operation: 'GET /v1/auth/cli',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: async (world) => ({ mark: world.mark(), ...makePkce() }),
        ask: ({ api }, { challenge }) =>
          api.get(`/v1/auth/cli?challenge=${challenge}`).set('accept', 'application/json'),
        look: ({ stele }, { challenge }) =>
          stele.query(`select count(*) from terminal_sign_ins where challenge = '${challenge}'`),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /v1/auth/cli',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: askedForTerminal,
        ask: ({ stele }, given) => approve(stele, given),
        look: ({ stele }, { fields }) =>
          stele.query(
            `select standing, count(*) from terminal_sign_ins where challenge = '${fields.challenge}' group by 1`,
          ),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /v1/auth/cli/exchange',
    callers: [400, 400],
    verbs: [
      verb({
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
        way: 'by a ticket',
        prepare: async (world) => {
          const given = await ticketFor(world);
          await answerTicket(world.stele, given).expect(303);
          return given;
        },
        ask: ({ api }, { ticket, verifier }) => api.post('/v1/auth/cli/exchange').send({ ticket, verifier }),
      }),
    ],
  },
  {
    operation: 'POST /terminal/{page}',
    verbs: [
      verb({
        prepare: ticketFor,
        ask: ({ stele }, given) => answerTicket(stele, given),
        look: ({ stele }, { challenge }) =>
          stele.query(`select standing, count(*) from terminal_sign_ins where challenge = '${challenge}' group by 1`),
      }),
    ],
  },
  {
    operation: 'POST /oauth/register',
    verbs: [
      verb({
        prepare: async (world) => ({ mark: world.mark() }),
        ask: ({ stele }, { mark }) =>
          stele.raw
            .post('/oauth/register')
            .send({ redirect_uris: ['https://agent.example/callback'], client_name: mark }),
        look: ({ stele }, { mark }) =>
          stele.query(`select count(*) from agent_clients where metadata::text like '%${mark}%'`),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /oauth/consent/{uid}',
    verbs: [
      verb({
        prepare: asksToBeLetIn,
        ask: ({ stele }, given) => consent(stele, given),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'GET /oauth/authorize/{uid}',
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await asksToBeLetIn(world);
          const { headers } = await consent(world.stele, given);
          const next = /^0;url=(.+)$/.exec(String(headers.refresh))?.[1] ?? '';
          return { ...given, next: new URL(next, world.stele.base) };
        },
        ask: ({ stele }, { next, headers }) => stele.raw.get(`${next.pathname}${next.search}`).set(headers),
        // An approval yields only one code, so an app that did not receive the code has to start over.
        again: 'anew',
      }),
    ],
  },
  {
    operation: 'POST /oauth/token',
    verbs: [
      verb({
        way: 'by a code',
        prepare: async (world) => {
          const given = await letIn(world);
          return { ...given, ...(await given.program.codeFrom(given.browser)) };
        },
        ask: (_, { program, code, verifier }) => program.exchange({ code, code_verifier: verifier }),
        // Exchanging a code again is treated as theft and revokes the grant
        // (docs/decisions/0085-limit-apps-scripts-and-ci-to-a-persons-current-rights.md).
        again: 'another',
      }),
      verb({
        way: 'by a refresh token',
        prepare: async (world) => {
          const given = await letIn(world);
          return { ...given, tokens: await given.program.letIn(given.browser) };
        },
        ask: (_, { program, tokens }) => program.refresh(tokens.refresh_token),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /oauth/revoke',
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await letIn(world);
          return { ...given, tokens: await given.program.letIn(given.browser) };
        },
        ask: (_, { program, tokens }) => program.revoke(tokens.refresh_token),
      }),
    ],
  },
  {
    operation: 'DELETE /v1/me/grants/{id}',
    callers: [401, 404],
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await letIn(world);
          await given.program.letIn(given.browser);
          const { body } = await world.api.get('/v1/me/grants').set(given.by).expect(200);
          return { ...given, id: String(body.items[0].id) };
        },
        ask: ({ api }, { by, id }) => api.delete(`/v1/me/grants/${id}`).set(by),
      }),
    ],
  },
];
