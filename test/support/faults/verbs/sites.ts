import type { Given } from '../points/observed.js';
import { type Verb, verb } from '../points/verb.js';
import { OPERATOR, type World } from '../points/world.js';
import { coOwnedSite, nobodysSite, sharedSite, siteAndStranger, theirSite } from './starting-points.js';

type Mailed = Given & { readonly email: string; readonly path: string };

/** Returns 0 if the user does not exist, otherwise the number of their sessions (at least 1). */
const signedIn = ({ stele }: World, { email }: Mailed) =>
  stele.query(`select count(*) from people left join sessions using (user_id) where email = '${email}'`);

/** Opens a mailed link, or submits the form on its page. */
const opening =
  (method: 'get' | 'post') =>
  ({ api }: World, { path }: Mailed) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    return method === 'get' ? api.get(path) : api.post(pathname).send({ token: searchParams.get('token') });
  };

/** Changes of a site by its owner or the operator. */
export const sites: readonly Verb[] = [
  verb({
    operation: 'PATCH /v1/sites/{slug}',
    prepare: theirSite,
    ask: ({ api }, { slug, by }) => api.patch(`/v1/sites/${slug}`).set(by).send({ title: 'Ours' }),
  }),
  verb({
    operation: 'DELETE /v1/sites/{slug}',
    prepare: async (world) => {
      const given = await sharedSite(world);
      const path = `/v1/sites/${given.slug}`;
      await world.api.put(`${path}/secrets/API_KEY`).set(given.by).send({ value: 'swordfish' }).expect(200);
      await world.api.post(`${path}/tokens`).set(given.by).send({ name: 'ci', role: 'editor' }).expect(201);
      return given;
    },
    ask: ({ api }, { slug, by }) => api.delete(`/v1/sites/${slug}`).set(by),
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/access',
    way: 'for members',
    prepare: theirSite,
    ask: ({ api }, { slug, by }) => api.post(`/v1/sites/${slug}/access`).set(by).send({ visibility: 'members' }),
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/access',
    way: 'by a password, in place of another',
    prepare: async (world) => {
      const given = await theirSite(world);
      const access = { visibility: 'password', password: 'the first swordfish' };
      await world.api.post(`/v1/sites/${given.slug}/access`).set(given.by).send(access).expect(200);
      return given;
    },
    ask: ({ api }, { slug, by }) =>
      api.post(`/v1/sites/${slug}/access`).set(by).send({ visibility: 'password', password: 'the second swordfish' }),
    again: 'another',
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/rename',
    prepare: theirSite,
    slugs: ({ mark }) => [`other-${mark}`],
    ask: ({ api }, { slug, mark, by }) =>
      api
        .post(`/v1/sites/${slug}/rename`)
        .set(by)
        .send({ slug: `other-${mark}` }),
  }),
  verb({
    operation: 'POST /v1/sites/{slug}/capabilities',
    prepare: theirSite,
    ask: ({ api }, { slug, by }) =>
      api.post(`/v1/sites/${slug}/capabilities`).set(by).send({ name: 'listing', enabled: true }),
  }),
  verb({
    operation: 'PUT /v1/sites/{slug}/secrets/{name}',
    way: 'a new one',
    prepare: theirSite,
    ask: ({ api }, { slug, by }) => api.put(`/v1/sites/${slug}/secrets/API_KEY`).set(by).send({ value: 'swordfish' }),
    again: 'another',
  }),
  verb({
    operation: 'PUT /v1/sites/{slug}/secrets/{name}',
    way: 'another value',
    prepare: async (world) => {
      const given = await theirSite(world);
      await world.api.put(`/v1/sites/${given.slug}/secrets/API_KEY`).set(given.by).send({ value: 'carp' }).expect(200);
      return given;
    },
    ask: ({ api }, { slug, by }) => api.put(`/v1/sites/${slug}/secrets/API_KEY`).set(by).send({ value: 'swordfish' }),
    again: 'another',
  }),
  verb({
    operation: 'DELETE /v1/sites/{slug}/secrets/{name}',
    prepare: async (world) => {
      const given = await theirSite(world);
      await world.api.put(`/v1/sites/${given.slug}/secrets/API_KEY`).set(given.by).send({ value: 'carp' }).expect(200);
      return given;
    },
    ask: ({ api }, { slug, by }) => api.delete(`/v1/sites/${slug}/secrets/API_KEY`).set(by),
  }),
  verb({
    operation: 'POST /v1/claim/start',
    prepare: nobodysSite,
    ask: ({ api }, { slug, editToken, mark }) =>
      api.post('/v1/claim/start').send({ slug, editToken, email: `claims-${mark}@example.org` }),
    again: 'another',
  }),
  ...(['get', 'post'] as const).map((method) =>
    verb<Mailed>({
      operation: `${method.toUpperCase()} /v1/claim/verify`,
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
  ),
  verb({
    operation: 'POST /v1/claim/session',
    prepare: async (world) => {
      const given = await nobodysSite(world);
      return { ...given, by: await world.person(given.mark) };
    },
    ask: ({ api }, { slug, editToken, by }) => api.post('/v1/claim/session').set(by).send({ slug, editToken }),
  }),
  verb({
    operation: 'POST /v1/admin/sites/{slug}/takedown',
    prepare: theirSite,
    ask: ({ api }, { slug }) => api.post(`/v1/admin/sites/${slug}/takedown`).set(OPERATOR).send({ reason: 'a test' }),
  }),
  verb({
    operation: 'POST /v1/admin/sites/{slug}/restore',
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
  verb({
    operation: 'POST /v1/sites/{slug}/invites',
    between: 'The mail is sent before the invite is recorded.',
    prepare: siteAndStranger,
    ask: ({ api }, { slug, by, mark }) =>
      api
        .post(`/v1/sites/${slug}/invites`)
        .set(by)
        .send({ email: `friend-${mark}@example.org`, role: 'editor' }),
    again: 'another',
  }),
  verb({
    operation: 'DELETE /v1/sites/{slug}/invites',
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
  ...(['get', 'post'] as const).map((method) =>
    verb<Mailed>({
      operation: `${method.toUpperCase()} /v1/invites/accept`,
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
  ),
  verb({
    operation: 'PATCH /v1/sites/{slug}/members/{id}',
    prepare: coOwnedSite,
    ask: ({ api }, { slug, by, memberId }) =>
      api.patch(`/v1/sites/${slug}/members/${memberId}`).set(by).send({ role: 'editor' }),
  }),
  verb({
    operation: 'DELETE /v1/sites/{slug}/members/{id}',
    prepare: coOwnedSite,
    ask: ({ api }, { slug, by, memberId }) => api.delete(`/v1/sites/${slug}/members/${memberId}`).set(by),
  }),
];
