import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

type Made = { slug: string; deployId: string; editToken: string };

describe('Deleting a site', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  beforeAll(async () => {
    temporary = await temporaryFolder('delete');
    stele = await startStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const make = async (query = '', as: Record<string, string> = {}): Promise<Made> =>
    (await stele.api.post(`/v1/deploy${query}`).set(as).type('html').send('<h1>Here</h1>').expect(200)).body;
  const remove = (slug: string, as: Record<string, string> = {}) => stele.api.delete(`/v1/sites/${slug}`).set(as);
  const token = ({ editToken }: Made) => ({ 'x-svc-edit-token': editToken });
  const recorded = async (stream: string, type: string) =>
    (await stele.log()).filter((event) => event.stream === stream && event.type === type);
  const reserved = (slug: string) => recorded(`slug-${slug}`, 'SlugReserved');

  it('a deleted site is gone immediately, at every address and in the API, for everyone', async () => {
    const site = await make();
    const preview = `dep-${site.deployId.slice(4)}`;
    const path = `/s/${site.slug}/`;
    await stele.visit(site.slug).expect(200);
    await stele.visit(preview).expect(200);
    await stele.raw.get(path).expect(200);

    const { headers } = await remove(site.slug, token(site)).expect(204);
    expect(headers).toMatchObject({ 'stele-position': expect.any(String), 'stele-revision': '3' });

    for (const address of [site.slug, preview]) await stele.visit(address).expect(404);
    for (const under of [path, `${path}@${site.deployId}/`]) await stele.raw.get(under).expect(404);
    const reads = ['', '/deploys', '/files', '/files.zip', '/history', '/events', `/deploys/diff?from=1&to=2`];
    for (const read of reads) {
      const { body } = await stele.api.get(`/v1/sites/${site.slug}${read}`).set(token(site)).expect(404);
      expect(body.code).toBe('site_not_found');
    }
    await stele.raw.get(`/claim/${site.slug}`).expect(404);
    const writes = [
      stele.api.patch(`/v1/deploy?slug=${site.slug}`).type('html').send('again'),
      stele.api.post(`/v1/sites/${site.slug}/rollback`).send({ deployId: site.deployId }),
      stele.api.post(`/v1/sites/${site.slug}/rerun`),
      stele.api.delete(`/v1/sites/${site.slug}`),
    ];
    for (const write of writes) {
      const { body } = await write.set(token(site)).expect(404);
      expect(body.code).toBe('site_not_found');
    }
  });

  it('a deploy that is in progress when its site is deleted fails with 409', async () => {
    const site = await make();
    const type = 'multipart/form-data; boundary=b';
    const sending = request({
      port: stele.port,
      path: `/v1/deploy?slug=${site.slug}`,
      method: 'POST',
      headers: { ...token(site), 'content-type': type, expect: '100-continue' },
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.flushHeaders();
    await once(sending, 'continue');
    sending.write('--b\r\ncontent-disposition: form-data; name="files"; filename="index.html"\r\n\r\n<h1>');
    await remove(site.slug, token(site)).expect(204);
    sending.end('Late</h1>\r\n--b--\r\n');
    const [answer] = await answered;
    expect({ status: answer.statusCode, body: await json(answer) }).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    });
  });

  it('the slug of a deleted site stays reserved', async () => {
    const site = await make('?slug=once-here');
    await remove('once-here', token(site)).expect(204);
    for (const as of [{}, token(site)]) {
      const { body } = await stele.api.post('/v1/deploy?slug=once-here').set(as).type('html').send('x').expect(409);
      expect(body.code).toBe('slug_taken');
    }
    const file = { path: 'index.html', size: 1, sha256: 'a'.repeat(64) };
    const { body } = await stele.api
      .post('/v1/cli/preflight')
      .send({ slug: 'once-here', files: [file] })
      .expect(200);
    expect(body.problems).toMatchObject([{ code: 'slug_taken' }]);
  });

  it('all consequences of a deletion are recorded even if the process is killed halfway', async () => {
    const site = await make('?slug=cut-short');
    const { id } = (await stele.api.get('/v1/sites/cut-short').expect(200)).body;
    await remove('cut-short', token(site)).expect(204);
    await stele.stop('SIGKILL');
    stele = await startStele({ folder: temporary.folder });
    const [deleted] = await recorded(`site-${id}`, 'SiteDeleted');
    const enough = Date.now() + 20_000;
    let rows = await reserved('cut-short');
    while (rows.length === 0 && Date.now() < enough) rows = await reserved('cut-short');
    expect(rows).toHaveLength(1);
    const { until } = JSON.parse(rows[0]?.data ?? '');
    expect(Date.parse(until) - Date.parse(deleted?.at ?? '')).toBe(30 * 86_400_000);
    await stele.visit('cut-short').expect(404);
    await stele.api.get('/v1/sites/cut-short').expect(404);
  }, 180_000);

  it('only the owner can delete a claimed site, not somebody with its edit token', async () => {
    const owner = await signIn(stele, 'owner.who.deletes@example.org');
    const other = await signIn(stele, 'nobody.of.the.site@example.org');
    const site = await make('?slug=ann-s', owner.bearer);
    expect((await remove('ann-s').expect(401)).body.code).toBe('unauthenticated');
    expect((await remove('ann-s', other.bearer).expect(403)).body.code).toBe('forbidden');
    await stele.visit('ann-s').expect(200);
    expect((await stele.api.get('/v1/me').set(owner.bearer).expect(200)).body.sites).toBe(1);
    const stale = await remove('ann-s', { ...owner.bearer, 'if-match': '"1"' }).expect(412);
    expect(stale.body.code).toBe('revision_mismatch');
    await remove('ann-s', owner.bearer).expect(204);
    await remove('ann-s', owner.bearer).expect(404);
    const mine = await stele.api.get('/v1/me/sites').set(owner.bearer).expect(200);
    expect(mine.body).toMatchObject({ items: [], total: 0 });
    expect((await stele.api.get('/v1/me').set(owner.bearer).expect(200)).body.sites).toBe(0);
    expect(site.editToken).toBeUndefined();
  });

  it('of fifty concurrent requests, exactly one deletes the site', async () => {
    const site = await make();
    const answers = await Promise.all(Array.from({ length: 50 }, () => remove(site.slug, token(site))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 49 }, () => 404)]);
  });

  it.each(['no-such-site', 'UPPER', '..', '%00', 'a'.repeat(49)])(
    'deleting the missing site %s returns 404',
    async (slug) => {
      await stele.raw.delete(`/v1/sites/${encodeURIComponent(decodeURIComponent(slug))}`).expect(404);
    },
  );

  it('the live streams of a deleted site end', async () => {
    const site = await make();
    const watching = await fetch(`${stele.base}/v1/sites/${site.slug}/events`, {
      headers: { ...token(site), accept: 'text/event-stream' },
    });
    const text = watching.text();
    await remove(site.slug, token(site)).expect(204);
    const frames = (await text).trim().split('\n\n');
    expect(frames.at(-2)).toContain('event: SiteDeleted');
    expect(frames.at(-1)).toContain('event: end');
  });
});
