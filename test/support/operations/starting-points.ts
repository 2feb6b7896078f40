import type { World } from '../faults/points/world.js';
import { signIn } from '../people/sign-in.js';

/** Creates a signed-in user. */
export async function somebody(world: World) {
  const mark = world.mark();
  return { mark, by: await world.person(mark) };
}

/** Creates a signed-in user, and chooses an available name for a site. */
export async function freeName(world: World) {
  const given = await somebody(world);
  return { ...given, slug: `site-${given.mark}` };
}

export async function theirSite(world: World) {
  const given = await somebody(world);
  const { slug, deployId } = await world.site(given.mark, given.by);
  return { ...given, slug, deployId };
}

export async function nobodysSite(world: World) {
  const mark = world.mark();
  const { slug, editToken } = await world.site(mark);
  return { mark, slug, editToken };
}

export const sharedSite = async (world: World) => (await siteSharedWith(world, 'viewer')).given;

/** Creates a user's site with an invited co-owner, who has created a connector token. */
export async function coOwnedSite(world: World) {
  const { given, friend } = await siteSharedWith(world, 'owner');
  await world.api.post(`/v1/sites/${given.slug}/connector/tokens`).set(friend).send({ name: 'agent' }).expect(201);
  return given;
}

async function siteSharedWith(world: World, role: 'viewer' | 'owner') {
  const site = await theirSite(world);
  const { slug, mark, by } = site;
  const email = `friend-${mark}@example.org`;
  await world.api.post(`/v1/sites/${slug}/invites`).set(by).send({ email, role }).expect(201);
  const { path } = await world.mailTo(email);
  const { body } = await world.api.get(path).expect(200);
  const given = { ...site, memberId: body.memberId as string };
  return { given, friend: { authorization: `Bearer ${body.token}` } };
}

/** Creates a user's site with the connector enabled, and an agent that has polled for work. */
export async function connectedSite(world: World) {
  const given = await theirSite(world);
  const { slug, by } = given;
  await world.api.post(`/v1/sites/${slug}/capabilities`).set(by).send({ name: 'connector', enabled: true }).expect(200);
  const { body } = await world.api
    .post(`/v1/sites/${slug}/connector/tokens`)
    .set(by)
    .send({ name: 'agent' })
    .expect(201);
  const agent = { authorization: `Bearer ${body.token}` };
  await world.api.get('/v1/connector/poll?wait=0').set(agent);
  return { ...given, agent, tokenId: body.id as string };
}

export async function siteAndStranger(world: World) {
  const given = await theirSite(world);
  return { ...given, stranger: (await signIn(world.stele, `stranger-${given.mark}@example.org`)).bearer };
}
