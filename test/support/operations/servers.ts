import { verb } from '../faults/points/verb.js';
import type { World } from '../faults/points/world.js';
import { homeOf } from '../people/agent-program.js';
import { everybody, type Operation, OWN, owns } from './operation.js';
import { connectedSite, somebody, theirSite } from './starting-points.js';

const CLAIMS = { repository: 'octo-org/website', ref: 'refs/heads/main' };

async function trusting(world: World) {
  const given = await theirSite(world);
  const { body } = await world.api
    .post(`/v1/sites/${given.slug}/publishers`)
    .set(given.by)
    .send({ issuer: world.issuer.url, claims: CLAIMS })
    .expect(201);
  return { ...given, publisherId: body.id as string };
}

async function withWork(world: World) {
  const given = await connectedSite(world);
  const { slug, by } = given;
  const invoked = { input: 'a question', wait: 0 };
  const { body } = await world.api.post(`/v1/sites/${slug}/connector/invoke`).set(by).send(invoked).expect(202);
  const id = String(body.id);
  return { ...given, id, reads: [[`/v1/sites/${slug}/connector/invocations/${id}`]] as const };
}

/** Operations on tokens, publishers, connectors and their agents. */
export const servers: readonly Operation[] = [
  {
    operation: 'GET /v1/sites/{slug}/tokens',
    statuses: OWN,
  },
  {
    operation: 'GET /v1/me/tokens',
    callers: [401, 200],
  },
  {
    operation: 'GET /v1/sites/{slug}/publishers',
    statuses: OWN,
  },
  {
    operation: 'GET /v1/sites/{slug}/connector/tokens',
    statuses: OWN,
  },
  {
    operation: 'GET /v1/sites/{slug}/connector/invocations',
    statuses: OWN,
  },
  {
    operation: 'GET /v1/sites/{slug}/connector/invocations/{id}',
    // Anyone who has an invocation's ID can read it.
    statuses: everybody(404),
  },
  {
    operation: 'POST /v1/sites/{slug}/tokens',
    statuses: owns(201),
    body: ({ once }) => ({ name: once, role: 'viewer' }),
    verbs: [
      verb({
        prepare: theirSite,
        ask: ({ api }, { slug, by }) =>
          api.post(`/v1/sites/${slug}/tokens`).set(by).send({ name: 'ci', role: 'editor' }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/tokens/{id}',
    statuses: owns(404),
    verbs: [
      verb({
        between: 'The credential stops working before the history records this.',
        prepare: async (world) => {
          const given = await theirSite(world);
          const made = { name: 'ci', role: 'editor' };
          const { body } = await world.api.post(`/v1/sites/${given.slug}/tokens`).set(given.by).send(made).expect(201);
          return { ...given, id: body.id as string };
        },
        ask: ({ api }, { slug, by, id }) => api.delete(`/v1/sites/${slug}/tokens/${id}`).set(by),
      }),
    ],
  },
  {
    operation: 'POST /v1/me/tokens',
    callers: [401, 400],
    verbs: [
      verb({
        prepare: somebody,
        ask: ({ api }, { by }) => api.post('/v1/me/tokens').set(by).send({ name: 'ci', role: 'editor' }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'DELETE /v1/me/tokens/{id}',
    callers: [401, 404],
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await somebody(world);
          const { body } = await world.api
            .post('/v1/me/tokens')
            .set(given.by)
            .send({ name: 'ci', role: 'editor' })
            .expect(201);
          return { ...given, id: body.id as string };
        },
        ask: ({ api }, { by, id }) => api.delete(`/v1/me/tokens/${id}`).set(by),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/publishers',
    // An owner gets 400, because the issuer's address is not allowed.
    statuses: owns(400),
    body: () => ({ issuer: 'https://127.0.0.1', claims: { repository: 'octo-org/website' } }),
    verbs: [
      verb({
        prepare: theirSite,
        ask: ({ api, issuer }, { slug, by }) =>
          api.post(`/v1/sites/${slug}/publishers`).set(by).send({ issuer: issuer.url, claims: CLAIMS }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/publishers/{id}',
    statuses: owns(404),
    verbs: [
      verb({
        between: 'The credential stops working before the history records this.',
        prepare: trusting,
        ask: ({ api }, { slug, by, publisherId }) => api.delete(`/v1/sites/${slug}/publishers/${publisherId}`).set(by),
      }),
    ],
  },
  {
    operation: 'POST /v1/auth/exchange',
    callers: [400, 400],
    verbs: [
      verb({
        between:
          'The publisher is bound to its project, and a token that nobody has received is stored, before the history records this.',
        prepare: async (world) => {
          const given = await trusting(world);
          return { ...given, idToken: await world.issuer.token({ aud: homeOf(world.stele) }) };
        },
        ask: ({ api }, { slug, idToken }) => api.post('/v1/auth/exchange').send({ idToken, slug }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/connector/tokens',
    statuses: owns(201),
    body: ({ once }) => ({ name: once }),
    verbs: [verb({ prepare: connectedSite, again: 'another' })],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/connector/tokens/{id}',
    statuses: owns(404),
    verbs: [
      verb({
        between: 'The credential stops working before the history records this.',
        prepare: connectedSite,
        ask: ({ api }, { slug, by, tokenId }) => api.delete(`/v1/sites/${slug}/connector/tokens/${tokenId}`).set(by),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/connector/invoke',
    // Every caller is refused, because the connector is disabled. If it were enabled, every member could invoke it.
    statuses: [401, 403, 403, 403, 403, 403],
    body: () => ({ input: 'x', wait: 0 }),
    verbs: [
      verb({
        prepare: connectedSite,
        ask: ({ api }, { slug, by }) =>
          api.post(`/v1/sites/${slug}/connector/invoke`).set(by).send({ input: 'a question', wait: 0 }),
      }),
    ],
  },
  {
    operation: 'GET /v1/connector/poll',
    callers: [401, 401],
    verbs: [
      verb({
        prepare: withWork,
        ask: ({ api }, { agent }) => api.get('/v1/connector/poll?wait=0').set(agent),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /v1/connector/result/{id}',
    callers: [401, 401],
    verbs: [
      verb({
        way: 'a part',
        prepare: async (world) => {
          const given = await withWork(world);
          await world.api.get('/v1/connector/poll?wait=0').set(given.agent).expect(200);
          return given;
        },
        ask: ({ api }, { agent, id }) =>
          api.post(`/v1/connector/result/${id}`).set(agent).send({ output: 'one', partial: true, attempt: 1 }),
        again: 'another',
      }),
      verb({
        way: 'the whole',
        prepare: async (world) => {
          const given = await withWork(world);
          await world.api.get('/v1/connector/poll?wait=0').set(given.agent).expect(200);
          return given;
        },
        ask: ({ api }, { agent, id }) =>
          api.post(`/v1/connector/result/${id}`).set(agent).send({ output: 'an answer', attempt: 1 }),
      }),
    ],
  },
];
