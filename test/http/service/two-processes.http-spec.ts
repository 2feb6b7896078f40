import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bytesLike, digestOf, offsetOf } from '../../support/content/uploads.js';
import { databaseUrl } from '../../support/database/database-url.js';
import { freshDatabase } from '../../support/database/test-database.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { faultsOfChain, historyOf } from '../../support/sites/history.js';

describe('Two processes on one external database', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let one: Stele;
  let two: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('two');
    database = await freshDatabase();
    const env = { DATABASE_URL: databaseUrl(database.config) };
    [one, two] = await Promise.all([
      startStele({ folder: temporary.folder, env }),
      startStele({ folder: temporary.folder, env }),
    ]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await database?.drop();
    await temporary.remove();
  });

  const patch = (stele: Stele, slug: string, editToken: string, html: string) =>
    stele.api
      .patch('/v1/deploy')
      .query({ slug })
      .set({ 'x-svc-edit-token': editToken, 'content-type': 'text/html' })
      .send(html);

  it('a site created on one process is visible on the other process to a client that sends the write’s position', async () => {
    const { body: site, headers } = await one.api.post('/v1/deploy').type('html').send('from one').expect(200);
    const { body } = await two.api
      .get(`/v1/sites/${site.slug}`)
      .set('stele-position', headers['stele-position']!)
      .expect(200);
    expect(body.deployId).toBe(site.deployId);
    expect((await two.visit(site.slug).expect(200)).text).toBe('from one');
  });

  it('one process can roll back a site right after a redeploy on the other process', async () => {
    const { body: site } = await one.api.post('/v1/deploy').type('html').send('1').expect(200);
    for (let turn = 0; turn < 10; turn++) {
      await patch(two, site.slug, site.editToken, `${turn}`).expect(200);
      const { body } = await one.api
        .post(`/v1/sites/${site.slug}/rollback`)
        .set('x-svc-edit-token', site.editToken)
        .send({ deployId: site.deployId })
        .expect(200);
      expect(body.previousDeployId).not.toBe(site.deployId);
    }
  });

  it('a request with an Idempotency-Key runs once, whichever process receives it', async () => {
    const send = (stele: Stele) =>
      stele.raw.post('/v1/deploy').set('idempotency-key', 'asked-of-both-processes-once').type('html').send('once');
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => send(n % 2 ? one : two)));
    const done = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const { slug, deployId, editToken } = done[0]!.body;
    const position = done[0]!.headers['stele-position'] ?? '';
    for (const stele of [one, two]) {
      const { body } = await send(stele).expect(200).expect('idempotency-replayed', 'true');
      expect(body).toMatchObject({ slug, deployId, editToken });
    }
    const { body } = await two.api
      .get(`/v1/sites/${slug}/deploys`)
      .set({ 'x-svc-edit-token': editToken, 'stele-position': position })
      .expect(200);
    expect(body.total).toBe(1);
  });

  it('an upload can start on one process and continue on the other, which can publish it', async () => {
    const bytes = bytesLike(3_000);
    const sha256 = digestOf(bytes);
    const files = [{ path: 'index.html', size: bytes.length, sha256 }];
    const { body: announced } = await one.api.post('/v1/cli/preflight').send({ files }).expect(200);
    const me = { 'x-svc-upload-token': announced.uploadToken as string };
    const patchAt = (stele: Stele, from: number, to: number, complete: string) =>
      stele.api
        .patch(`/v1/uploads/${sha256}`)
        .set({ 'content-type': 'application/partial-upload', ...me })
        .set({ 'upload-offset': String(from), 'upload-complete': complete })
        .send(bytes.subarray(from, to));
    await one.api
      .put(`/v1/uploads/${sha256}`)
      .set({ 'content-type': 'application/octet-stream', ...me })
      .set({ 'upload-complete': '?0', 'upload-length': String(bytes.length) })
      .send(bytes.subarray(0, 1_000))
      .expect(204);
    expect(await offsetOf(two.base, sha256, me)).toBe(1_000);
    // Two requests continue the upload at the same offset. Only one of them succeeds.
    const both = await Promise.all([one, two].map((stele) => patchAt(stele, 1_000, 2_000, '?0')));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
    await patchAt(two, 2_000, 3_000, '?1').expect(201);
    const entries = [{ path: 'index.html', sha256 }];
    const { body: site } = await one.api.post('/v1/deploy').set(me).send({ files: entries }).expect(200);
    const { body: shown } = await two.visit(site.slug).responseType('blob').expect(200);
    expect(digestOf(shown)).toBe(sha256);
  });

  it('of fifty concurrent requests for a slug, exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, racer) =>
        [one, two][racer % 2]!.api.post('/v1/deploy?slug=prize').type('html').send(`${racer}`),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);
  });

  it('fifty concurrent redeploys of a site are numbered without gaps and form a single hash chain', async () => {
    const { body: site } = await one.api.post('/v1/deploy').type('html').send('0').expect(200);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, writer) => patch([one, two][writer % 2]!, site.slug, site.editToken, `${writer}`)),
    );
    const retried = answers.filter(({ body }) => body.code === 'conflict').length;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50 - retried);

    const last = answers.map(({ headers }) => Number(headers['stele-position'] ?? 0)).reduce((a, b) => Math.max(a, b));
    await one.api.get('/health');
    await one.api.get(`/v1/sites/${site.slug}`).set('stele-position', String(last)).expect(200);
    const history = await historyOf(one, site.slug, site.editToken);
    expect(faultsOfChain(history)).toEqual([]);
    const numbers = history.filter(({ type }) => type === 'SiteDeployed').map(({ data }) => data.number);
    expect(numbers).toEqual(Array.from({ length: 51 - retried }, (_, index) => index + 1));
  });
});
