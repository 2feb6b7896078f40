import type { Given } from '../faults/points/observed.js';
import { verb } from '../faults/points/verb.js';
import { OPERATOR, type World } from '../faults/points/world.js';
import { EDIT, everybody, OPERATORS, type Operation, OWN, owns, READ } from './operation.js';
import { coOwnedSite, nobodysSite, sharedSite, siteAndStranger, theirSite } from './starting-points.js';

type Mailed = Given & { readonly email: string; readonly path: string };

/** Returns the number of a user's sessions, but 1 for a user without sessions, and 0 if the user does not exist. */
const signedIn = ({ stele }: World, { email }: Mailed) =>
  stele.query(`select count(*) from people left join sessions using (user_id) where email = '${email}'`);

/** Opens a mailed link, or submits the form on its page. */
const opening =
  (method: 'get' | 'post') =>
  ({ api }: World, { path }: Mailed) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    return method === 'get' ? api.get(path) : api.post(pathname).send({ token: searchParams.get('token') });
  };

export const sites: readonly Operation[] = [
  {
    operation: 'GET /v1/sites/{slug}',
    statuses: everybody(200),
    hidden: [404, 404, 200, 200, 200, 200],
  },
  {
    operation: 'GET /v1/sites/{slug}/history',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/logs',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/analytics',
    // Analytics is disabled, so even callers who can read it get 403.
    statuses: [401, 403, 403, 403, 403, 403],
  },
  {
    operation: 'GET /v1/sites/{slug}/events',
    statuses: READ,
    headers: { accept: 'application/json' },
  },
  {
    operation: 'GET /v1/sites/{slug}/invites',
    statuses: OWN,
  },
  {
    operation: 'GET /v1/sites/{slug}/members',
    statuses: READ,
  },
  {
    operation: 'GET /v1/sites/{slug}/secrets',
    statuses: EDIT,
  },
  {
    operation: 'GET /v1/sites/{slug}/capabilities',
    statuses: READ,
  },
  {
    operation: 'PATCH /v1/sites/{slug}',
    statuses: OWN,
    body: () => ({ title: 'Ours' }),
    ifMatch: { dependsOn: 'presentation', body: ({ once }) => ({ title: once }) },
    verbs: [verb({ prepare: theirSite })],
  },
  {
    operation: 'DELETE /v1/sites/{slug}',
    statuses: [401, 403, 403, 403, 412, 412],
    headers: { 'if-match': '"999999"' },
    ifMatch: { dependsOn: 'everything' },
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await sharedSite(world);
          const path = `/v1/sites/${given.slug}`;
          await world.api.put(`${path}/secrets/API_KEY`).set(given.by).send({ value: 'swordfish' }).expect(200);
          await world.api.post(`${path}/tokens`).set(given.by).send({ name: 'ci', role: 'editor' }).expect(201);
          return given;
        },
        ask: ({ api }, { slug, by }) => api.delete(`/v1/sites/${slug}`).set(by),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/access',
    statuses: OWN,
    body: ({ visibility }) => ({ visibility }),
    ifMatch: { dependsOn: 'presentation', body: ({ once }) => ({ visibility: 'password', password: once }) },
    verbs: [
      verb({
        way: 'for members',
        prepare: theirSite,
        ask: ({ api }, { slug, by }) => api.post(`/v1/sites/${slug}/access`).set(by).send({ visibility: 'members' }),
      }),
      verb({
        way: 'by a password, in place of another',
        prepare: async (world) => {
          const given = await theirSite(world);
          const access = { visibility: 'password', password: 'the first swordfish' };
          await world.api.post(`/v1/sites/${given.slug}/access`).set(given.by).send(access).expect(200);
          return given;
        },
        ask: ({ api }, { slug, by }) =>
          api
            .post(`/v1/sites/${slug}/access`)
            .set(by)
            .send({ visibility: 'password', password: 'the second swordfish' }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/rename',
    statuses: OWN,
    body: ({ slug }) => ({ slug }),
    ifMatch: { dependsOn: 'presentation', body: ({ once }) => ({ slug: once }) },
    verbs: [
      verb({
        prepare: theirSite,
        slugs: ({ mark }) => [`other-${mark}`],
        ask: ({ api }, { slug, mark, by }) =>
          api
            .post(`/v1/sites/${slug}/rename`)
            .set(by)
            .send({ slug: `other-${mark}` }),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/capabilities',
    statuses: EDIT,
    body: () => ({ name: 'spa', enabled: false }),
    verbs: [
      verb({
        prepare: theirSite,
        ask: ({ api }, { slug, by }) =>
          api.post(`/v1/sites/${slug}/capabilities`).set(by).send({ name: 'listing', enabled: true }),
      }),
    ],
  },
  {
    operation: 'PUT /v1/sites/{slug}/secrets/{name}',
    statuses: OWN,
    body: () => ({ value: 'swordfish' }),
    verbs: [
      verb({
        way: 'a new one',
        prepare: theirSite,
        again: 'another',
      }),
      verb({
        way: 'another value',
        prepare: async (world) => {
          const given = await theirSite(world);
          await world.api
            .put(`/v1/sites/${given.slug}/secrets/API_KEY`)
            .set(given.by)
            .send({ value: 'carp' })
            .expect(200);
          return given;
        },
        again: 'another',
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/secrets/{name}',
    statuses: [401, 403, 403, 403, 204, 403],
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await theirSite(world);
          await world.api
            .put(`/v1/sites/${given.slug}/secrets/API_KEY`)
            .set(given.by)
            .send({ value: 'carp' })
            .expect(200);
          return given;
        },
      }),
    ],
  },
  {
    operation: 'POST /v1/claim/start',
    callers: [400, 400],
    verbs: [
      verb({
        prepare: nobodysSite,
        ask: ({ api }, { slug, editToken, mark }) =>
          api.post('/v1/claim/start').send({ slug, editToken, email: `claims-${mark}@example.org` }),
        again: 'another',
      }),
    ],
  },
  ...(['get', 'post'] as const).map(
    (method): Operation => ({
      operation: `${method.toUpperCase()} /v1/claim/verify`,
      callers: [400, 400],
      verbs: [
        verb<Mailed>({
          between: 'The user owns the site before they are signed in.',
          prepare: async (world) => {
            const given = await nobodysSite(world);
            const email = `claims-${given.mark}@example.org`;
            const { slug, editToken } = given;
            await world.api.post('/v1/claim/start').send({ slug, editToken, email }).expect(200);
            return { ...given, email, path: (await world.mailTo(email)).path };
          },
          look: signedIn,
          ask: opening(method),
        }),
      ],
    }),
  ),
  {
    operation: 'POST /v1/claim/session',
    callers: [401, 400],
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await nobodysSite(world);
          return { ...given, by: await world.person(given.mark) };
        },
        ask: ({ api }, { slug, editToken, by }) => api.post('/v1/claim/session').set(by).send({ slug, editToken }),
      }),
    ],
  },
  {
    operation: 'POST /v1/admin/sites/{slug}/takedown',
    statuses: OPERATORS,
    hidden: OPERATORS,
    body: () => ({ reason: 'x' }),
    verbs: [
      verb({
        prepare: theirSite,
        ask: ({ api }, { slug }) =>
          api.post(`/v1/admin/sites/${slug}/takedown`).set(OPERATOR).send({ reason: 'a test' }),
      }),
    ],
  },
  {
    operation: 'POST /v1/admin/sites/{slug}/restore',
    statuses: OPERATORS,
    hidden: OPERATORS,
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await theirSite(world);
          await world.api
            .post(`/v1/admin/sites/${given.slug}/takedown`)
            .set(OPERATOR)
            .send({ reason: 'a test' })
            .expect(200);
          return given;
        },
        ask: ({ api }, { slug }) => api.post(`/v1/admin/sites/${slug}/restore`).set(OPERATOR),
      }),
    ],
  },
  {
    operation: 'POST /v1/sites/{slug}/invites',
    statuses: owns(201),
    body: ({ once }) => ({ email: `${once}@example.org`, role: 'viewer' }),
    verbs: [
      verb({
        between: 'The mail is sent before the invite is recorded.',
        prepare: siteAndStranger,
        ask: ({ api }, { slug, by, mark }) =>
          api
            .post(`/v1/sites/${slug}/invites`)
            .set(by)
            .send({ email: `friend-${mark}@example.org`, role: 'editor' }),
        again: 'another',
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/invites',
    statuses: owns(404),
    query: () => ({ id: `inv_${'0'.repeat(26)}` }),
    verbs: [
      verb({
        prepare: async (world) => {
          const given = await theirSite(world);
          const { body } = await world.api
            .post(`/v1/sites/${given.slug}/invites`)
            .set(given.by)
            .send({ email: `friend-${given.mark}@example.org`, role: 'editor' })
            .expect(201);
          return { ...given, id: body.id as string };
        },
        ask: ({ api }, { slug, by, id }) => api.delete(`/v1/sites/${slug}/invites`).query({ id }).set(by),
      }),
    ],
  },
  ...(['get', 'post'] as const).map(
    (method): Operation => ({
      operation: `${method.toUpperCase()} /v1/invites/accept`,
      callers: [400, 400],
      verbs: [
        verb<Mailed>({
          between: 'The user is a member before they are signed in.',
          prepare: async (world) => {
            const given = await theirSite(world);
            const email = `friend-${given.mark}@example.org`;
            await world.api
              .post(`/v1/sites/${given.slug}/invites`)
              .set(given.by)
              .send({ email, role: 'editor' })
              .expect(201);
            return { ...given, email, path: (await world.mailTo(email)).path };
          },
          look: signedIn,
          ask: opening(method),
        }),
      ],
    }),
  ),
  {
    operation: 'PATCH /v1/sites/{slug}/members/{id}',
    statuses: owns(404),
    body: () => ({ role: 'viewer' }),
    verbs: [
      verb({
        prepare: coOwnedSite,
        ask: ({ api }, { slug, by, memberId }) =>
          api.patch(`/v1/sites/${slug}/members/${memberId}`).set(by).send({ role: 'editor' }),
      }),
    ],
  },
  {
    operation: 'DELETE /v1/sites/{slug}/members/{id}',
    statuses: owns(404),
    verbs: [
      verb({
        prepare: coOwnedSite,
        ask: ({ api }, { slug, by, memberId }) => api.delete(`/v1/sites/${slug}/members/${memberId}`).set(by),
      }),
    ],
  },
];
