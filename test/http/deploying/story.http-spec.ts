import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

/** Tests the main use case with the process that `npm start` runs. Each step builds on the previous one. */
describe('A new user publishes a page', () => {
  let stele: Stele;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let slug: string;
  let editToken: string;
  const deploys: string[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('story');
    stele = await startStele({ folder: temporary.folder, command: ['npm', 'start'] });
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the home page shows a curl command that works unchanged', async () => {
    const line = /curl -X POST (\S+) -H 'content-type: ([^']+)' --data-binary '([^']+)'/.exec(stele.printed());
    const [, url, type, html] = line!;
    expect(url).toBe(`http://localhost:${stele.port}/v1/deploy`);
    const { body } = await stele.api.post('/v1/deploy').set('content-type', type!).send(html).expect(200);

    expect(body).toMatchObject({
      slug: expect.stringMatching(/^[a-z]+-[a-z]+-\d{4}$/),
      url: `http://${body.slug}.localhost:${stele.port}/`,
      deployId: expect.stringMatching(/^dep_[0-9a-z]{26}$/),
      editToken: expect.stringMatching(/^stele_edit_[0-9A-Za-z]{49}$/),
      files: 1,
      claimUrl: `http://localhost:${stele.port}/claim/${body.slug}#token=${body.editToken}`,
      unchanged: false,
      warnings: [],
    });
    ({ slug, editToken } = body);
    deploys.push(body.deployId);
  });

  it('the returned URL shows the published page', async () => {
    const page = await stele.visit(slug).expect(200).expect('content-type', 'text/html; charset=utf-8');
    expect(page.text).toBe('<h1>Hello</h1>');
  });

  it('a redeploy with the edit token is visible in the next request', async () => {
    const { body, headers } = await stele.api
      .patch('/v1/deploy')
      .query({ slug })
      .set('x-svc-edit-token', editToken)
      .send({ files: [{ path: 'index.html', content: '<h1>Second</h1>' }] })
      .expect(200);
    expect(body).not.toHaveProperty('editToken');
    expect(headers.etag).toBe('"3"');
    deploys.push(body.deployId);

    expect((await stele.visit(slug)).text).toBe('<h1>Second</h1>');
  });

  it('the list of deploys is newest first', async () => {
    const { body } = await stele.api.get(`/v1/sites/${slug}/deploys`).set('x-svc-edit-token', editToken).expect(200);
    expect(body).toMatchObject({
      items: [
        { deployId: deploys[1], number: 2, status: 'live', files: 1, actor: { kind: 'anonymous' }, liveUntil: null },
        { deployId: deploys[0], number: 1, status: 'superseded' },
      ],
      page: 1,
      limit: 20,
      total: 2,
    });
    expect(body.items[1].liveUntil).toBe(body.items[0].liveFrom);
  });

  it('a rollback is visible in the next request', async () => {
    const { body } = await stele.api
      .post(`/v1/sites/${slug}/rollback`)
      .set('x-svc-edit-token', editToken)
      .send({ deployId: deploys[0] })
      .expect(200);
    expect(body).toMatchObject({ slug, deployId: deploys[0], previousDeployId: deploys[1] });
    const history = await stele.api.get(`/v1/sites/${slug}/history`).set('x-svc-edit-token', editToken).expect(200);
    expect(history.body.items.slice(0, 2).map(({ summary }: { summary: string }) => summary)).toEqual([
      'Rolled back to deploy 1',
      'Deploy 2: 1 file, 15 bytes',
    ]);

    expect((await stele.visit(slug)).text).toBe('<h1>Hello</h1>');
    const site = await stele.api.get(`/v1/sites/${slug}`).expect(200).expect('etag', '"4"');
    expect(site.body).toMatchObject({ slug, deployId: deploys[0], status: 'live', claimed: false, revision: 4 });
  });

  it('the replaced deploy is still available as a preview', async () => {
    const page = await stele
      .visit(`dep-${deploys[1]!.slice(4)}`)
      .expect(200)
      .expect('x-robots-tag', 'noindex');
    expect(page.text).toBe('<h1>Second</h1>');
  });

  it('the site’s history contains each deploy and the rollback', async () => {
    const { body } = await stele.api.get(`/v1/sites/${slug}/history`).set('x-svc-edit-token', editToken).expect(200);
    expect(body.items.map(({ type }: { type: string }) => type)).toEqual([
      'SiteRolledBack',
      'SiteDeployed',
      'SiteDeployed',
      'SiteCreated',
    ]);
    expect(JSON.stringify(body)).not.toContain(editToken);
  });

  it('the site and its history are unchanged after a restart of the service', async () => {
    expect(await stele.stop('SIGTERM')).toBe(0);
    stele = await startStele({ folder: temporary.folder });

    expect((await stele.visit(slug)).text).toBe('<h1>Hello</h1>');
    const { body } = await stele.api.get(`/v1/sites/${slug}/history`).set('x-svc-edit-token', editToken).expect(200);
    expect(body.total).toBe(4);
  }, 120_000);
});
