import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { strangerToken } from '../../support/people/stranger-token.js';
import { EventStreamClient } from '../../support/service/event-stream-client.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';
import { historyOf } from '../../support/sites/history.js';

describe('The live stream of a site’s activity', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let site: { slug: string; editToken: string };

  beforeAll(async () => {
    temporary = await temporaryFolder('activity');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    site = (await stele.api.post('/v1/deploy').type('html').send('first').expect(200)).body;
  });

  const path = () => `/v1/sites/${site.slug}/events`;
  const watch = (token: string = site.editToken) =>
    new EventStreamClient(stele.base + path(), { 'x-svc-edit-token': token });
  const redeploy = (html: string) =>
    stele.api
      .patch('/v1/deploy')
      .query({ slug: site.slug })
      .set({ 'x-svc-edit-token': site.editToken, 'content-type': 'text/html' })
      .send(html)
      .expect(200);

  it('the stream contains all past and future entries of the site’s history', async () => {
    const watching = watch();
    await watching.count(2);
    await redeploy('second');
    const heard = await watching.count(3);
    const history = await historyOf(stele, site.slug, site.editToken);
    expect(heard.map(({ data }) => data)).toEqual(history);
    expect(heard.map(({ id, event }) => [id, event])).toEqual([
      [1, 'SiteCreated'],
      [2, 'SiteDeployed'],
      [3, 'SiteDeployed'],
    ]);
    watching.cut();
  });

  it('the OpenAPI document describes the stream and its entries', async () => {
    const { body } = await stele.api
      .get(`${path()}?after=1`)
      .set({ 'x-svc-edit-token': site.editToken, accept: 'application/json' })
      .expect(200);
    expect(body.items).toHaveLength(1);
    expect(body.items[0].data.summary).toBe('Deploy 1: 1 file, 5 bytes');
  });

  it('only those who can read the site’s history can open the stream', async () => {
    await stele.api.get(path()).expect(401);
    await stele.api.get(path()).set('x-svc-edit-token', strangerToken).expect(403);
    await stele.api.get('/v1/sites/no-such-site/events').set('x-svc-edit-token', site.editToken).expect(404);
  });

  it('the stream ends for clients that lose access, and a reconnecting client is told why', async () => {
    const watching = watch();
    await watching.count(2);
    await stele.api
      .post(`/v1/admin/sites/${site.slug}/takedown`)
      .set('authorization', 'Bearer operator-token-of-tests')
      .send({ reason: 'phishing' })
      .expect(200);
    expect(await watching.closed).toBe(true);
    expect(watching.events.at(-1)?.event).toBe('SiteTakenDown');
    await stele.api.get(path()).set('x-svc-edit-token', site.editToken).expect(451);
  });
});
