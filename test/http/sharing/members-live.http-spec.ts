import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newestMail, signIn } from '../../support/people/sign-in.js';
import { EventStreamClient } from '../../support/service/event-stream-client.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';

/**
 * No heartbeat is sent within this time after a connection opens. Heartbeats also check rights, so they cannot be what
 * ends a connection earlier.
 */
const BEFORE_ANY_HEARTBEAT = 12_000;

describe('Members who are watching a site', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  let ann: Awaited<ReturnType<typeof signIn>>;
  let slug: string;
  let people = 0;

  beforeAll(async () => {
    const folder = await temporaryFolder('members-live');
    remove = folder.remove;
    stele = await sharedStele({ folder: folder.folder });
    ann = await signIn(stele, 'ann@members-live.example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });
  beforeEach(async () => {
    slug = (await stele.api.post('/v1/deploy').set(ann.bearer).type('html').send('ours').expect(200)).body.slug;
  });

  async function joined() {
    const email = `watcher-${++people}@members-live.example.org`;
    await stele.api.post(`/v1/sites/${slug}/invites`).set(ann.bearer).send({ email, role: 'viewer' }).expect(201);
    const { body } = await stele.api.get((await newestMail(stele, email)).path).expect(200);
    return { memberId: body.memberId as string, token: body.token as string };
  }
  const watch = (token: string) =>
    new EventStreamClient(`${stele.base}/v1/sites/${slug}/events`, { authorization: `Bearer ${token}` });
  const dismiss = (memberId: string) =>
    stele.api.delete(`/v1/sites/${slug}/members/${memberId}`).set(ann.bearer).expect(204);

  it('a removed member sees their own removal but nothing after it, and other members are not affected', async () => {
    const [bob, carl] = [await joined(), await joined()];
    const [bobs, carls] = [watch(bob.token), watch(carl.token)];
    await Promise.all([bobs.count(5), carls.count(5)]);
    await dismiss(bob.memberId);
    expect(await bobs.closed).toBe(true);
    // The service sent no heartbeat (a comment). A heartbeat also checks rights, so it could have ended the connection
    // as well.
    expect(bobs.comments).toEqual([]);
    expect(bobs.events.at(-1)).toMatchObject({ event: 'MemberRemoved', data: { data: { memberId: bob.memberId } } });

    await stele.api.patch(`/v1/deploy?slug=${slug}`).set(ann.bearer).type('html').send('new').expect(200);
    const heard = await carls.until(({ data }) => data.revision > bobs.events.length);
    expect(heard.at(-1)?.event).toBe('SiteDeployed');
    carls.cut();
    const back = { authorization: `Bearer ${bob.token}` };
    await stele.api.get(`/v1/sites/${slug}/events`).set(back).expect(403);
    await stele.api.get('/v1/me').set(back).expect(200);
  });

  it('on a WebSocket, a removed member loses only the stream of that site', async () => {
    const bob = await joined();
    const other = await stele.api.post('/v1/deploy').type('html').send('another').expect(200);
    const began = performance.now();
    const socket = new WebSocketClient(`${stele.base}/v1/live`)
      .say({ op: 'auth', token: other.body.editToken })
      .say({ op: 'subscribe', stream: `site:${other.body.slug}` })
      .say({ op: 'auth', token: bob.token })
      .say({ op: 'subscribe', stream: `site:${slug}` });
    await socket.until(({ stream, event }) => stream === `site:${slug}` && event === 'MemberAdded');
    await dismiss(bob.memberId);
    const heard = await socket.until(({ event }) => event === 'problem');
    expect(performance.now() - began).toBeLessThan(BEFORE_ANY_HEARTBEAT);
    expect(heard.slice(-2)).toMatchObject([
      { stream: `site:${slug}`, event: 'MemberRemoved' },
      { stream: `site:${slug}`, event: 'problem', data: { code: 'forbidden' } },
    ]);
    const token = { 'x-svc-edit-token': other.body.editToken };
    await stele.api.patch(`/v1/deploy?slug=${other.body.slug}`).set(token).type('html').send('new').expect(200);
    await stele.api.patch(`/v1/deploy?slug=${slug}`).set(ann.bearer).type('html').send('new').expect(200);
    const after = (await socket.until(({ data }) => data.data?.number === 2)).slice(heard.length);
    expect(after.map(({ stream }) => stream)).toEqual([`site:${other.body.slug}`]);
    socket.cut();
  });

  it('a client that watches a site with an edit token loses the stream when the site is claimed', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('nobody’s').expect(200);
    const watching = new EventStreamClient(`${stele.base}/v1/sites/${site.slug}/events`, {
      'x-svc-edit-token': site.editToken,
    });
    await watching.count(2);
    const claim = stele.api.post('/v1/claim/session').set(ann.bearer);
    await claim.send({ slug: site.slug, editToken: site.editToken }).expect(200);
    expect(await watching.closed).toBe(true);
    expect(watching.comments).toEqual([]);
    expect(watching.events.at(-1)?.event).toBe('SiteClaimed');
  });
});
