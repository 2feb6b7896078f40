import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { EventStreamClient, type Heard } from '../../support/service/event-stream-client.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

type Bearer = { readonly authorization: string };

describe('Actors in a site’s live stream', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let slug: string;
  const streams: EventStreamClient[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('live-names');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  beforeEach(async () => {
    ann = await signIn(stele, `ann-${Math.random()}@live-names.example.org`);
    slug = (await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('one').expect(200)).body.slug;
  });
  afterAll(async () => {
    for (const stream of streams) stream.cut();
    await stele?.stop();
    await temporary.remove();
  });

  const bearer = (token: string): Bearer => ({ authorization: `Bearer ${token}` });
  const redeploy = (as: Bearer) =>
    stele.api.patch(`/v1/deploy?slug=${slug}`).set(as).type('html').send(`${Math.random()}`).expect(200);
  const watch = (as: Bearer) => {
    const stream = new EventStreamClient(`${stele.base}/v1/sites/${slug}/events`, as);
    streams.push(stream);
    return stream;
  };
  const join = async (email: string, role: string) => {
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return { bearer: bearer(body.token), email };
  };
  const deploys = (heard: readonly Heard[]) =>
    heard.filter(({ event }) => event === 'SiteDeployed').map(({ data }) => data.actor.name);
  /** Waits for `n` deploys in the stream, and returns their actors. */
  const nth = async (stream: EventStreamClient, n: number) => {
    for (let many = n; ; many++) {
      const names = deploys(await stream.count(many));
      if (names.length === n) return names;
    }
  };

  it('everybody sees an actor’s name; if an actor has no name, owners see the address and others see “a member”', async () => {
    const ed = await join(`ed-${Math.random()}@live-names.example.org`, 'editor');
    const [owner, editor] = [watch(ann.bearer), watch(ed.bearer)];
    await redeploy(ed.bearer);
    expect(await nth(owner, 2)).toEqual([ann.user.email, ed.email]);
    expect(await nth(editor, 2)).toEqual(['a member', 'a member']);
    await stele.api.patch('/v1/me').set(ed.bearer).send({ name: 'Ed' }).expect(200);
    await redeploy(ed.bearer);
    expect((await nth(owner, 3)).at(-1)).toBe('Ed');
    expect((await nth(editor, 3)).at(-1)).toBe('Ed');
  });

  it('the stream shows the same actors as the history', async () => {
    const { token } = (
      await stele.api
        .post(`/v1/sites/${slug}/tokens`)
        .set(ann.bearer)
        .send({ name: 'deploy from main', role: 'editor' })
        .expect(201)
    ).body;
    const watching = watch(ann.bearer);
    await redeploy(bearer(token));
    const heard = await watching.count(5);
    const { body } = await stele.api.get(`/v1/sites/${slug}/history`).set(ann.bearer).expect(200);
    expect(heard.map(({ data }) => data)).toEqual(body.items.toReversed());
    expect(heard.at(-1)?.data.actor.name).toBe('CI “deploy from main”');
    const page = await stele.api.get(`/v1/sites/${slug}/events`).set(ann.bearer).set('accept', 'application/json');
    expect(page.body.items.map(({ data }: Heard) => data)).toEqual(body.items.toReversed());
  });

  it('an erased actor is shown as a former member, even to clients that were already watching', async () => {
    const ed = await join(`ed-${Math.random()}@live-names.example.org`, 'editor');
    await redeploy(ed.bearer);
    const watching = watch(ann.bearer);
    expect(await nth(watching, 2)).toEqual([ann.user.email, ed.email]);
    await stele.api.delete('/v1/me').set(ed.bearer).expect(204);
    await watching.until(({ event }) => event === 'MemberRemoved');
    const again = watch(ann.bearer);
    const heard = await again.until(({ event }) => event === 'MemberRemoved');
    expect(deploys(heard)).toEqual([ann.user.email, 'a former member']);
    expect(JSON.stringify(heard)).not.toContain(ed.email);
  });

  it('a former owner’s stream ends, and a new stream shows the former owner no email addresses', async () => {
    const bo = await join(`bo-${Math.random()}@live-names.example.org`, 'owner');
    const watching = watch(bo.bearer);
    await watching.count(4);
    const { body } = await stele.api.get(`/v1/sites/${slug}/members`).set(ann.bearer).expect(200);
    const { id } = body.items.find(({ email }: { email?: string }) => email === bo.email);
    await stele.api.patch(`/v1/sites/${slug}/members/${id}`).set(ann.bearer).send({ role: 'viewer' }).expect(200);
    expect(await watching.closed).toBe(true);
    expect(watching.events.at(-1)?.event).toBe('MemberRoleChanged');
    expect(await nth(watch(bo.bearer), 1)).toEqual(['a member']);
  });
});
